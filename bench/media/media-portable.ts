import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from '../shared/child.ts'

/**
 * Cost of calls without Linux system calls: Node's sockets (`dgram`) compared with koffi, alternating, so that other load affects both.
 * `node bench/media/media-portable.ts [calls] [rounds]`.
 */
interface Figures {
  udp: string
  cpuPercentPerCall: number
  pacingP50: number
  pacingP99: number
  received: number
}

const ways = ['auto', 'dgram'] as const
type Way = (typeof ways)[number]

const [calls = '50', rounds = '3'] = process.argv.slice(2)

const measure = (mode: string, way: Way): Figures => {
  const args = [join(import.meta.dirname, 'media.ts'), mode, calls]
  const notified = execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, OFFHOOK_MEDIA_UDP: way } })
  return JSON.parse(notified) as Figures
}

const middle = (all: Figures[], name: Exclude<keyof Figures, 'udp'>): number => median(all.map((one) => one[name]))

for (const mode of ['play', 'record', 'bridge']) {
  const found: Record<Way, Figures[]> = { auto: [], dgram: [] }
  for (let round = 0; round < Number(rounds); round++) for (const way of ways) found[way].push(measure(mode, way))
  const summary = (way: Way) => ({
    udp: found[way][0]?.udp,
    cpuPercentPerCall: middle(found[way], 'cpuPercentPerCall'),
    pacingP50: middle(found[way], 'pacingP50'),
    pacingP99: middle(found[way], 'pacingP99'),
    received: middle(found[way], 'received'),
  })
  const [usual, portable] = [summary('auto'), summary('dgram')]
  const ratio = Number((portable.cpuPercentPerCall / usual.cpuPercentPerCall).toFixed(2))
  console.log(JSON.stringify({ bench: 'media-portable', what: mode, calls: Number(calls), rounds: Number(rounds), usual, portable, ratio }))
}
