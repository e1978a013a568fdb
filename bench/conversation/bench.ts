import { runAsked } from '../shared/asked.ts'
import { runCalls } from './calls/level.ts'
import { runDirect } from './direct/level.ts'
import { readOptions } from './options.ts'
import { NoRecordings } from './sets/recording.ts'

/**
 * Conversation quality with recordings of people: words, turns, interruptions, noises. `--direct` feeds them to the service's components without a
 * telephone, deterministically; otherwise they are played in calls. One JSON line per model and setting on stdout, and the same as a table on
 * stderr. Even recordings are measured; odd ones only with `--held-out`, to validate settings that were tuned on the even ones.
 */
const run = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2))
  await (options.direct ? runDirect(options) : runCalls(options))
}

await runAsked(run, [NoRecordings])
