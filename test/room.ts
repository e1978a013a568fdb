import { createWriteStream } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import outcome from './outcome.ts'

/** Runs the files of a room in this process: `node test/room.ts OUTCOME TIMEOUT_MS FILE…`. */
const [outcomeFile = '', timeout, ...files] = process.argv.slice(2)
const events = run({ files, isolation: 'none', timeout: Number(timeout) })
events.on('test:fail', ({ todo }) => {
  if (todo === undefined) process.exitCode = 1
})
events.compose(outcome).pipe(createWriteStream(outcomeFile))
events.compose(new spec()).pipe(process.stdout)
