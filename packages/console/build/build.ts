import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compressFiles } from './compress.ts'
import { builtFrom, distFolder, fingerprint, noteBuiltFrom } from './sources.ts'
import { takeIntoUse } from './take-into-use.ts'

/** Builds the console when it is not there or its sources have changed; `--force` builds it anyway. */
const buildConsole = async (): Promise<void> => {
  const sources = fingerprint()
  if (builtFrom() === sources && !process.argv.includes('--force')) return
  const began = performance.now()
  console.error('offhook: the console is being built')
  const { bundleInto } = await import('./bundle.ts') // half a second that most starts do not need
  removeAbandoned()
  const target = mkdtempSync(`${distFolder}-`)
  try {
    await bundleInto(target)
    compressFiles(target)
    noteBuiltFrom(target, sources)
    takeIntoUse(target, distFolder)
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
  console.error(`offhook: the console was built in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

const abandonedMs = 5 * 60_000

/** What builds that were killed have left behind. */
const removeAbandoned = (): void => {
  const folder = dirname(distFolder)
  for (const name of globSync('dist-*', { cwd: folder })) {
    const begun = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (Date.now() - begun > abandonedMs) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** In one line: no Vite, a folder that cannot be written, a source with a mistake. */
const complain = (error: unknown): void => {
  console.error(`offhook: ${(error as Error).message}`)
  process.exitCode = 1
}

await buildConsole().catch(complain)
