import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Loading } from './loading.ts'
import { barLine, type Terminal } from './terminal-bar.ts'

/** What is loaded sooner is not worth a bar. Drawn again and again, because logs take its place. */
const redrawIntervalMs = 200
const eraseLine = '\r\u001b[K'

/** How much of what was begun is loaded, in the last line of a terminal, until all of it is; then one line says so. */
export const loadingBar = (terminal: Terminal, clock: Clock): Loading => {
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
    if (loaded.length > 0) terminal.write(`Speech is ready after ${((clock.now() - startedAt) / 1000).toFixed(1)} s: ${loaded.join(', ')}.\n`)
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
