import { runAsked } from '../shared/asked.ts'
import { runCalls } from './calls/level.ts'
import { runDirect } from './direct/level.ts'
import { readOptions } from './options.ts'
import { NoRecordings } from './sets/recording.ts'

/**
 * How good a conversation is, with recordings of people: words, turns, interruptions, noises. `--direct` gives them to the service's own parts
 * without a telephone, the same way every time; otherwise they call it. One JSON line for each model and setting, and the same as a table on the
 * other output. Even recordings are measured; odd ones only with `--held-out`, to judge what was tuned on the even ones.
 */
const run = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  await (options.direct ? runDirect(options) : runCalls(options))
}

await runAsked(run, [NoRecordings])
