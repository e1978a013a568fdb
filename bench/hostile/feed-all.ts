import { rounded } from '../shared/percentiles.ts'
import { inScope } from '../shared/scope.ts'
import { bodyEntries } from './bodies.ts'
import { find, type Entry, type Finding } from './entry.ts'
import { replyEntries } from './replies.ts'
import { openService } from './service.ts'
import { telephonyEntries } from './telephony.ts'
import { textEntries } from './texts.ts'
import { uploadEntries } from './uploads.ts'

/**
 * Feeds hostile input of the maximum allowed size to every place that accepts customers' bytes, and prints for each the longest block of the main
 * thread and its heap growth. A block is CPU time of the main thread within one turn of the event loop, so other load on the machine does not count.
 * `npm run bench -- hostile --only <word>` for a subset.
 */
const goals = { blockMs: 50, heapMb: 64 }

const { argv } = process
const only = argv.includes('--only') ? (argv[argv.indexOf('--only') + 1] ?? '') : ''

const findings: Finding[] = []
const report = async (entry: Entry): Promise<void> => {
  if (!entry.name.includes(only)) return
  const finding = await find(entry)
  findings.push(finding)
  const { entry: name, bytes, shape, blockMs, heapMb } = finding
  console.log(JSON.stringify({ bench: 'hostile', entry: name, bytes, blockMs: rounded(blockMs, 1), heapMb: rounded(heapMb, 1), shape }))
}

for (const entry of [...textEntries(), ...replyEntries(), ...telephonyEntries()]) await report(entry)
if (!argv.includes('--without-service'))
  await inScope(async (scope) => {
    const service = await openService(scope)
    for (const entry of uploadEntries(service)) await report(entry)
    for (const entry of bodyEntries(service)) await report(entry)
  })
if (findings.some(({ blockMs, heapMb }) => blockMs > goals.blockMs || heapMb > goals.heapMb)) process.exitCode = 1
const worst = (of: 'blockMs' | 'heapMb'): number => rounded(Math.max(...findings.map((one) => one[of])), 1)
console.log(
  JSON.stringify({ bench: 'hostile', entries: findings.length, worstBlockMs: worst('blockMs'), worstHeapMb: worst('heapMb'), goals }),
)
