import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into the service: measures CPU time of its main thread per turn of the event loop. That is the minimum time that others wait, and other
 * programs on the machine do not count. SIGUSR2 starts it; each further one writes the times and restarts.
 */
const file = process.env['TURNS_FILE'] ?? ''
/** Turns below this many milliseconds count as idle. */
const idleMs = 0.1

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let isWatching = false
let times: number[] = []
let last = 0

const look = (): void => {
  const turn = cpuMs() - last
  if (turn >= idleMs) times.push(turn)
  if (turn < idleMs) setTimeout(look, 1)
  else setImmediate(look)
  last = cpuMs()
}

if (isMainThread && file !== '')
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify(times))
    times = []
    last = cpuMs()
    if (!isWatching) setImmediate(look)
    isWatching = true
  })
