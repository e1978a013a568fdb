import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { BadArchive } from '#core/kernel/tar/tar-header.ts'
import { pacedFile, type PacedFile } from '#adapters/archive/paced-file.ts'
import { sumLine } from '#adapters/archive/summed-archive.ts'
import { tarEntries, type TarEntry } from '#core/kernel/tar/tar-reader.ts'
import type { Pieces } from '#core/kernel/tar/tar-writer.ts'
import { erasuresName } from '../privacy/erasures-name.ts'
import {
  databaseNames,
  endName,
  folders,
  journalName,
  keyName,
  manifestName,
  notesName,
  readEnd,
  readManifest,
  sumsName,
  type EndNotes,
  type Manifest,
} from './manifest.ts'

export interface Source {
  content: AsyncIterable<Uint8Array>
  /** Undefined when read from a pipe. */
  bytes: number | undefined
}

export interface Unpacked {
  manifest: Manifest
  end: EndNotes
  /** Checksum of the list of checksums. */
  sum: string
}

/** Bytes; larger than any manifest. */
const maxNotesBytes = 16 * 1024 * 1024

/**
 * Unpacks an archive into a folder and verifies that it is complete and unchanged; throws otherwise. `check` sees the manifest before
 * any file is written.
 */
export const unpack = async (source: Source, into: string, check: (manifest: Manifest) => void): Promise<Unpacked> => {
  const entries = tarEntries(source.content, source.bytes)
  const listPath = `${into}.sums`
  const list = await pacedFile(listPath)
  try {
    const first = await entryOf(entries, manifestName)
    const text = await wholeOf(first)
    const manifest = readManifest(text)
    check(manifest)
    await list.write(Buffer.from(sumLine(sumOf(text), manifestName)))
    const given = await unpackFiles(entries, manifest, into, list)
    await list.close()
    const sum = await compareSums(given, listPath)
    const end = readEnd(await wholeOf(await entryOf(entries, endName)))
    const more = await entries.next()
    if (more.done !== true) throw new BadArchive(`goes on after its end, with ${more.value.name}`)
    return { manifest, end, sum }
  } finally {
    await list.close().catch(() => {}) // already closed
    await entries.return()
  }
}

const entryOf = async (entries: AsyncGenerator<TarEntry, void, undefined>, name: string): Promise<TarEntry> => {
  const next = await entries.next()
  if (next.done === true) throw new BadArchive(`is not complete: ${name} is missing`)
  if (next.value.name !== name)
    throw new BadArchive(
      name === manifestName ? 'is no backup of Offhook' : `is damaged: ${next.value.name} stands where ${name} should be`,
    )
  return next.value
}

/** Unpacks up to the list of checksums, which it returns. */
const unpackFiles = async (
  entries: AsyncGenerator<TarEntry, void, undefined>,
  manifest: Manifest,
  into: string,
  list: PacedFile,
): Promise<TarEntry> => {
  for (let next = await entries.next(); next.done !== true; next = await entries.next()) {
    const { name, content } = next.value
    if (name === sumsName) return next.value
    if (!belongs(name, manifest)) throw new BadArchive(`has something in it that a backup has not: ${name}`)
    await list.write(Buffer.from(sumLine(await writeOne(join(into, name), content, name), name)))
  }
  throw new BadArchive(`is not complete: ${sumsName} is missing`)
}

const belongs = (name: string, { database, key }: Manifest): boolean => {
  const [top = '', ...below] = name.split('/')
  if (below.length > 0) return (folders as readonly string[]).includes(top)
  return (
    name === databaseNames[database.engine] ||
    name === erasuresName ||
    journalName.test(name) ||
    (key.included && [keyName, notesName].includes(name))
  )
}

const writeOne = async (path: string, content: Pieces, name: string): Promise<string> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await pacedFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new BadArchive(`is damaged: ${name} is in it twice`) : error
  })
  const hash = createHash('sha256')
  try {
    for await (const piece of content) {
      hash.update(piece)
      await file.write(piece)
    }
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/** Compares the list in the archive with ours, line by line; returns the checksum of the list. */
const compareSums = async (given: TarEntry, ours: string): Promise<string> => {
  const hash = createHash('sha256')
  const input = createReadStream(ours)
  const mine = createInterface({ input })[Symbol.asyncIterator]()
  try {
    for await (const line of linesOf(given.content, (piece) => hash.update(piece))) {
      const { value: found = '' } = await mine.next()
      if (line === found) continue
      const [, listed = '?'] = line.split('  ')
      const [, unpacked] = found.split('  ')
      throw new BadArchive(
        listed === unpacked ? `is damaged: ${listed} is not what it was` : `is damaged: ${listed} is missing, or at another place`,
      )
    }
    const { done, value } = await mine.next()
    if (done !== true) throw new BadArchive(`is damaged: ${value.split('  ')[1] ?? value} is not listed`)
    return hash.digest('hex')
  } finally {
    input.destroy()
  }
}

/** Longer lines contain names that we never write. */
const maxLineLength = 2_000

async function* linesOf(content: AsyncIterable<Uint8Array>, see: (piece: Uint8Array) => unknown): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const piece of content) {
    see(piece)
    const lines = (rest + Buffer.from(piece).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineLength) throw new BadArchive(`is damaged: ${sumsName} cannot be read`)
    yield* lines
  }
  if (rest !== '') throw new BadArchive(`is damaged: ${sumsName} is cut off`)
}

const wholeOf = async ({ name, bytes, content }: TarEntry): Promise<Buffer> => {
  if (bytes > maxNotesBytes) throw new BadArchive(`is damaged: ${name} has ${bytes} bytes`)
  const pieces: Buffer[] = []
  for await (const piece of content) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
