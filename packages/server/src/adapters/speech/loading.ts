import type { Clock } from '#core/kernel/ports/platform.ts'
import { barLine, type Terminal } from './models/progress-bar.ts'
import type { Log } from '#log/log-events.ts'

/** Shows which models are being loaded into memory, which takes seconds. */
export interface Loading {
  /** Starts one entry. Call the returned function with the outcome. */
  begin(what: string): (outcome: 'loaded' | 'failed') => void
  /** Stops all output. */
  close(): void
}

/** Anything that loads faster shows no bar. Redrawn repeatedly because log lines overwrite it. */
const redrawIntervalMs = 200
const eraseLine = '\r\u001b[K'

/** Shows the share of models that are loaded in the last line of the terminal until all are loaded; then prints one summary line. */
const loadingBar = (terminal: Terminal, clock: Clock): Loading => {
  const waiting = new Set<string>()
  const loaded: string[] = []
  let all = 0
  let startedAt = 0
  let isDrawn = false
  let cancel: (() => void) | undefined

  const draw = (): void => {
    const done = all - waiting.size
    const [next = ''] = waiting
    const says = `${done} of ${all} · ${Math.round((clock.now() - startedAt) / 1000)} s · ${next}`
    terminal.write(`${eraseLine}${barLine(terminal, { title: 'Loading', share: done / all, says })}\r`)
    isDrawn = true
    cancel = clock.after(redrawIntervalMs, draw)
  }
  const end = (): void => {
    cancel?.()
    cancel = undefined
    if (!isDrawn) return
    terminal.write(eraseLine)
    if (loaded.length > 0)
      terminal.write(`Speech is ready after ${((clock.now() - startedAt) / 1000).toFixed(1)} s: ${loaded.join(', ')}.\n`)
  }
  const reset = (): void => {
    startedAt = clock.now()
    all = 0
    loaded.length = 0
    isDrawn = false
    cancel = clock.after(redrawIntervalMs, draw)
  }

  return {
    begin(what) {
      if (waiting.has(what)) return () => {}
      if (waiting.size === 0) reset()
      all++
      waiting.add(what)
      return (outcome) => {
        if (!waiting.delete(what)) return
        if (outcome === 'loaded') loaded.push(what)
        if (waiting.size === 0) end()
      }
    },
    close() {
      if (isDrawn && waiting.size > 0) terminal.write(eraseLine)
      waiting.clear()
      cancel?.()
    },
  }
}

interface LoadingDeps {
  terminal: Terminal
  clock: Clock
  log: Log
}

/** A bar on a terminal; otherwise log lines for each start and end. */
export const openLoading = ({ terminal, clock, log }: LoadingDeps): Loading =>
  terminal.isTTY === true ? loadingBar(terminal, clock) : loadingLines(log, clock)

const loadingLines = (log: Log, clock: Clock): Loading => ({
  begin(what) {
    const startedAt = clock.now()
    log('speech_model_loading', { what })
    return (outcome) => {
      if (outcome === 'loaded') log('speech_model_loaded', { what, ms: clock.now() - startedAt })
    }
  },
  close: () => {},
})
