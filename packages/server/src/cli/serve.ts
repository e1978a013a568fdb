import type { FirstStart } from '#first-start/first-start.ts'
import { withConsole } from '#cli/start/build.ts'
import { runService } from './start/run-service.ts'
import { settingsOf } from './start/settings.ts'
import { welcome } from './start/welcome.ts'

export const serve = async (): Promise<void> => {
  const settings = settingsOf(process.env)
  const ending = new AbortController()
  const running = await withConsole(() => runService(settings, ending), ending)
  if (ending.signal.aborted) return
  const { http, sip } = running
  const { sandbox } = running.deps
  const ready = JSON.stringify({ ready: true, http, sip, console: `${http}/console/`, ...(sandbox && { sandbox: true }) })
  // For programs, so at a terminal the words for people come last.
  process.stdout.write(`${ready}\n`)
  if (sandbox) console.error(`offhook: this is a sandbox; its time is ${new Date(sandbox.now().now).toISOString()}`)
  console.error(welcome(forReaders(running.firstStart), http))
}

/** A journal is read by more people than a terminal: it says where the first passwords are, not what they are. */
const forReaders = (first: FirstStart): FirstStart =>
  process.stderr.isTTY || first.file === undefined ? first : { ...first, notes: undefined }
