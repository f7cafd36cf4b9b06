"""What people and programs are given, written once for every door."""
