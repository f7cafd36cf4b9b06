"""What builds the files of this folder's parent, and runs nowhere else; it needs `folio[build-models]`."""
