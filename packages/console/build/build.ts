import { globSync, mkdtempSync, rmSync, statSync, readFileSync, writeFileSync, chmodSync, existsSync, linkSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { createHash } from 'node:crypto'

/** Bytes; below this, compressing saves no packet. */
const worthwhile = 1024

/** 5 % smaller than at 9, for two seconds more in total; 11 would take four for another 1.5 %. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Writes a `.br` and a `.gz` next to every file that shrinks, so that no request pays for compression. */
export const compressFiles = (folder: string): void => {
  for (const file of globSync('**/*.{js,css,svg,json}', { cwd: folder })) {
    const path = join(folder, file)
    const content = readFileSync(path)
    if (content.length < worthwhile) continue
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(content, brotli))
  }
}

const root = join(import.meta.dirname, '../../..')

/** Folder of the built console. */
export const distFolder = join(root, 'packages/console/dist')

const stampFile = 'sources.txt'

/** Exists if the console is built. */
export const consoleStamp = join(distFolder, stampFile)

/** Everything that the built console depends on. */
const sourcesOfConsole = ['packages/{console,sdk,contract}/src/**/*', 'packages/console/build/*', 'package-lock.json']

export const filesOfConsole = (): string[] =>
  globSync(sourcesOfConsole, { cwd: root, withFileTypes: true, exclude: (entry) => entry.name.endsWith('.test.ts') })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Changes if and only if a source changes: file times are meaningless after a checkout or a copy. */
export const fingerprint = (): string => {
  const hash = createHash('sha256')
  for (const path of filesOfConsole().toSorted()) hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('base64url')
}

/** Fingerprint of the built console's sources; empty if it is not built. */
export const builtFrom = (): string => {
  try {
    return readFileSync(consoleStamp, 'utf8')
  } catch {
    return ''
  }
}

export const noteBuiltFrom = (folder: string, sources: string): void => writeFileSync(join(folder, stampFile), sources)

/** A running service keeps serving the old files until the new ones are complete; another build may run concurrently. */
export const takeIntoUse = (built: string, place: string): void => {
  const old = `${place}-old-${process.pid}`
  keepAssetsOf(place, built)
  chmodSync(built, 0o755) // temporary folders are private to one user; the service may run as another
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      renameSync(place, old)
    } catch {
      // First build.
    }
    try {
      renameSync(built, place)
      return rmSync(old, { recursive: true, force: true })
    } catch (error) {
      rmSync(old, { recursive: true, force: true })
      if (tries === 4) throw error
    }
  }
}

const dayMs = 24 * 60 * 60_000

/**
 * Open pages still fetch the files that they were built with: keeps the assets of the previous build, and older ones that are less than a
 * day older than it.
 */
const keepAssetsOf = (before: string, built: string): void => {
  const builtAt = statSync(join(before, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
  for (const asset of globSync('assets/*', { cwd: before })) {
    const [from, to] = [join(before, asset), join(built, asset)]
    if (existsSync(to) || (statSync(from, { throwIfNoEntry: false })?.mtimeMs ?? 0) < builtAt - dayMs) continue
    linkOrSkip(from, to)
  }
}

/** A concurrent build may have removed it. */
const linkOrSkip = (from: string, to: string): void => {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Builds the console if it is missing or its sources have changed; `--force` always builds it. */
const buildConsole = async (): Promise<void> => {
  const sources = fingerprint()
  if (builtFrom() === sources && !process.argv.includes('--force')) return
  const startedAt = performance.now()
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
  console.error(`offhook: the console was built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

const abandonedMs = 5 * 60_000

/** Left behind by killed builds. */
const removeAbandoned = (): void => {
  const folder = dirname(distFolder)
  for (const name of globSync('dist-*', { cwd: folder })) {
    const started = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (Date.now() - started > abandonedMs) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** In one line: no Vite, a read-only folder, a mistake in a source. */
const complain = (error: unknown): void => {
  console.error(`offhook: ${(error as Error).message}`)
  process.exitCode = 1
}

await buildConsole().catch(complain)
