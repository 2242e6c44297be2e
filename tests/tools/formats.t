# docs/FORMATS.md against what the program writes: the documents of the evidence protocol.
needs: assay request --help >/dev/null
timeout: 120

## a Target from beginning to end leaves documents with the members and types of the examples
$ python3 -S $DATA/protocol/formats.py flow made && python3 -S $DATA/protocol/formats.py shape made $DATA/formats/protocol
> 28 documents as their examples

## every member of an example stands in the row of its document, and every name in the row is a member
$ python3 -S $DATA/protocol/formats.py documented $DATA/formats/protocol $ROOT/docs/FORMATS.md
> 28 documents described

## a member that came, one that went, another type, a document without an example
$ cp -r made other; cd other; sed -i 's/"attempt": 1/"attempt": "1"/; s/"ended"/"finished"/' falsification.json; cp call.json extra.json
+ sed -i 's/"stop_reason":null/"stop_reason":{"a": 1}/; s/"text":null/"text2":null/' call.json; cd ..
+ python3 -S $DATA/protocol/formats.py shape other made
> extra.json: in one folder only
> call.json.text2: NoneType: not in the example
> call.json.text: NoneType: only in the example
> falsification.json.attempt: str: not in the example
> falsification.json.finished: str: not in the example
> falsification.json.attempt: number: only in the example
> falsification.json.ended: str: only in the example
= 1

## a row that lacks a member or names one that there is not, an example without a row, a row without an example
$ rm made/evidence-verify-v1.json; sed '/\[`selection`\]/d; /\[`worker`\]/s/`call_token`/`token`/' $ROOT/docs/FORMATS.md >f.md; python3 -S $DATA/protocol/formats.py documented made f.md
> selection: no row
> worker: `call_token` is not in its row
> worker: `token` is no member
> evidence-verify-v1: a row without an example
= 1
