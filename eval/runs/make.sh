#!/usr/bin/env bash
# Every run that RESULTS.md is written from, in the order of the page; `make results` calls it.
# BIN holds `folio`, DATA the sets, RUNS takes the runs with their texts. A run that is there is not made again.
set -euo pipefail
: "${BIN:=.venv/bin}" "${DATA:?folder of the sets}" "${RUNS:=build/runs}"
sample=eval/data/sample
mkdir -p "$RUNS"

measure() { # NAME COMMAND [ARGUMENT…]: the exit status says what was found, not whether it was measured
  local run="$RUNS/$1.json"
  [ -e "$run" ] || "$BIN/folio" eval "${@:2}" --json "$run" || [ -e "$run" ]
}

for set in zh_policy handbook_en p3c_zh mtrag_en xquad_zh xquad_en hotpotqa_en; do
  measure "retrieval-$set" retrieval --data "$DATA/$set"
done
for set in xquad_crosslingual drcd_zhtw; do
  measure "retrieval-$set" retrieval --data "$DATA/$set" --limit 300
done
for set in zh_policy handbook_en; do
  measure "retrieval-$set-documents" retrieval --data "$DATA/$set" --whole-documents
done
measure retrieval-sample retrieval --data "$sample"
for set in zh_policy handbook_en p3c_zh mtrag_en; do
  measure "answers-$set" answers --data "$DATA/$set"
done
measure answers-sample answers --data "$sample"
measure answers-ordinary answers --data eval/data/ordinary
measure mutations mutations --data "$DATA/zh_policy" --data "$DATA/handbook_en" --data "$DATA/xquad_zh" --data "$DATA/xquad_en"
measure mutations-train mutations --split train --data "$DATA/train_zh1" --data "$DATA/train_en1"
for attacks in eval/data/attacks/*.jsonl; do
  measure "attacks-$(basename "$attacks" .jsonl)" attacks --attacks "$attacks"
done
measure bench bench
measure load load
"$BIN/folio" eval results "$RUNS"/*.json
