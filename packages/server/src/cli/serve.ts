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
  // For programs; at a terminal the text for people comes last.
  process.stdout.write(`${ready}\n`)
  if (sandbox) console.error(`offhook: this is a sandbox; its time is ${new Date(sandbox.now().now).toISOString()}`)
  console.error(welcome(forReaders(running.firstStart), http))
}

/** More people read a journal than a terminal: it contains the location of the first passwords, not the passwords. */
const forReaders = (first: FirstStart): FirstStart =>
  process.stderr.isTTY || first.file === undefined ? first : { ...first, notes: undefined }
