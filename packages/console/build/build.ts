import { existsSync, globSync, linkSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compressFiles } from './compress.ts'
import { builtFrom, distFolder, fingerprint, noteBuiltFrom } from './sources.ts'

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
    takeIntoUse(target)
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

/** A running service goes on to serve the old files until the new ones are complete; another build may do the same at this moment. */
const takeIntoUse = (target: string): void => {
  const old = `${distFolder}-old-${process.pid}`
  keepAssetsOf(distFolder, target)
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      renameSync(distFolder, old)
    } catch {
      // It is the first one.
    }
    try {
      renameSync(target, distFolder)
      return rmSync(old, { recursive: true, force: true })
    } catch (error) {
      rmSync(old, { recursive: true, force: true })
      if (tries === 4) throw error
    }
  }
}

const dayMs = 24 * 60 * 60_000

/** Pages that are open in browsers still fetch what they were built with: the assets of the build before stay, with those it had kept for less than a day. */
const keepAssetsOf = (before: string, target: string): void => {
  const builtAt = statSync(join(before, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
  for (const asset of globSync('assets/*', { cwd: before })) {
    const [from, to] = [join(before, asset), join(target, asset)]
    if (existsSync(to) || (statSync(from, { throwIfNoEntry: false })?.mtimeMs ?? 0) < builtAt - dayMs) continue
    linkSync(from, to)
  }
}

/** In one line: no Vite, a folder that cannot be written, a source with a mistake. */
const complain = (error: unknown): void => {
  console.error(`offhook: ${(error as Error).message}`)
  process.exitCode = 1
}

await buildConsole().catch(complain)
