import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { BadArchive, decodeHeader, decodePax, encodeHeader } from './tar-header.ts'
import { tarEntries } from './tar-reader.ts'
import { TarWriter, type NewEntry, type Pieces } from './tar-writer.ts'

const run = promisify(execFile)
const at = Date.UTC(2026, 10, 16)

const written = async (...files: [Omit<NewEntry, 'changedAt'>, Pieces][]): Promise<Buffer> => {
  const pieces: Buffer[] = []
  const tar = new TarWriter(async (piece) => void pieces.push(Buffer.from(piece)))
  for (const [entry, content] of files) await tar.add({ ...entry, changedAt: at }, content)
  await tar.end()
  return Buffer.concat(pieces)
}

const file = (name: string, content: Uint8Array): [Omit<NewEntry, 'changedAt'>, Pieces] => [{ name, bytes: content.length }, [content]]

/** In chunks of any length, as from a pipe. */
async function* inChunks(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length)
}

const readAll = async (archive: Uint8Array, length = 700, max?: number): Promise<Record<string, string>> => {
  const found: Record<string, string> = {}
  for await (const { name, content } of tarEntries(inChunks(archive, length), max)) {
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(Buffer.from(piece))
    found[name] = Buffer.concat(pieces).toString('latin1')
  }
  return found
}

const long = `recordings/1234567/${'a'.repeat(120)}.wav`

test('reads its own archives in chunks of any length, and skips unrequested files', async () => {
  const contents = [0, 1, 511, 512, 513, 70_000].map((length) => randomBytes(length))
  const archive = await written(...contents.map((content, index) => file(`faxes/${index}.pdf`, content)), file(long, Buffer.from('long')))
  assert.equal(archive.length % 512, 0)
  const expected = Object.fromEntries(contents.map((content, index) => [`faxes/${index}.pdf`, content.toString('latin1')]))
  for (const length of [1_000_000, 700, 7]) assert.deepEqual(await readAll(archive, length), { ...expected, [long]: 'long' })
  const names: string[] = []
  for await (const { name } of tarEntries(inChunks(archive, 300))) names.push(name)
  assert.equal(names.length, 7)
})

test('GNU tar reads our archives, also with long names and a file of more than eight gigabytes', async (t) => {
  const folder = await temporaryFolder(t)
  const content = randomBytes(1_234)
  await writeFile(join(folder, 'a.tar'), await written(file('mail/a.eml', content), file(long, content)))
  const { stdout } = await run('tar', ['-tvf', join(folder, 'a.tar')])
  assert.match(stdout, /^-rw------- 0\/0 +1234 2026-11-16 \d\d:\d\d mail\/a\.eml\n/)
  assert.ok(stdout.includes(long))
  await run('tar', ['-xf', join(folder, 'a.tar'), '-C', folder])
  for (const name of ['mail/a.eml', long]) assert.ok(content.equals(await readFile(join(folder, name))))
  // Only its header: the program lists the entry before it notices the missing rest.
  const large = 9_000_000_000
  await writeFile(join(folder, 'large.tar'), encodeHeader('offhook.db', large, at))
  const listed = (await run('tar', ['-tvf', join(folder, 'large.tar')]).catch((error: unknown) => error)) as { stdout: string }
  assert.match(listed.stdout, / 9000000000 .* offhook\.db/)
})

test('reads archives of GNU tar in the same format', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'one.txt'), 'first')
  await writeFile(join(folder, `${'b'.repeat(150)}.txt`), 'second')
  await run('tar', ['--format=posix', '-cf', join(folder, 'a.tar'), '-C', folder, 'one.txt', `${'b'.repeat(150)}.txt`])
  const found = await readAll(await readFile(join(folder, 'a.tar')))
  assert.deepEqual(found, { 'one.txt': 'first', [`${'b'.repeat(150)}.txt`]: 'second' })
})

test('a file has its announced length in the archive, even if it grows or shrinks in the meantime', async () => {
  const archive = await written(
    [{ name: 'grows', bytes: 3 }, [Buffer.from('abcdef')]],
    [{ name: 'shrinks', bytes: 5 }, [Buffer.from('ab')]],
  )
  assert.deepEqual(await readAll(archive), { grows: 'abc', shrinks: 'ab\0\0\0' })
})

test('encodes lengths that need eleven digits or a record', () => {
  for (const bytes of [0, 0o77777777777]) assert.equal(decodeHeader(encodeHeader('a', bytes, at)).bytes, bytes)
  const large = encodeHeader('a', 2 ** 40, at)
  const { bytes } = decodeHeader(large.subarray(0, 512))
  assert.deepEqual(decodePax(large.subarray(512, 512 + bytes)), { bytes: 2 ** 40 })
})

/** One of our headers with a change and the right checksum. */
const forged = (change: (header: Buffer) => void): Buffer => {
  const header = encodeHeader('recordings/a.wav', 0, at)
  change(header)
  header.fill(0x20, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return Buffer.concat([header, Buffer.alloc(1024)])
}

const named = (name: string): Buffer =>
  forged((header) => {
    header.fill(0, 0, 100)
    header.write(name, 0, 'utf8')
  })

test('rejects names outside of the folder and entries that are not files', async () => {
  for (const name of ['../a', '/etc/passwd', 'a/../../b', 'a//b', './a', 'a/.', 'a\\b', 'a\u0001b', '.hidden', 'ä', 'a/', '', 'a.wav.part'])
    await assert.rejects(readAll(named(name)), (error) => error instanceof BadArchive && /name leads elsewhere/.test(error.message), name)
  for (const [type, words] of Object.entries({
    1: 'a link',
    2: 'a symbolic link',
    3: 'a device',
    5: 'a folder',
    L: 'something unknown',
    g: 'something',
  }))
    await assert.rejects(readAll(forged((header) => header.write(type, 156))), new RegExp(`has ${words}.*recordings/a.wav`))
  const outside = encodeHeader(`${'x/'.repeat(60)}../../../../a`, 0, at)
  await assert.rejects(readAll(Buffer.concat([outside, Buffer.alloc(1024)])), /name leads elsewhere/)
})

test('detects a truncated or damaged archive at any position', async () => {
  const archive = await written(file('a.txt', randomBytes(3_000)), file(long, randomBytes(100)))
  for (const length of [0, 1, 511, 512, 600, 3_500, 3_584, 4_000, 4_200, 4_800, 5_300])
    await assert.rejects(readAll(archive.subarray(0, length)), /is cut off/, String(length))
  for (const [place, value] of [
    [0, 0x62],
    [124, 0x39],
    [150, 0x37],
    [257, 0x56],
    [3_584 + 512, 0x39],
  ] as const) {
    const damaged = Buffer.from(archive)
    damaged[place] = value
    await assert.rejects(readAll(damaged), /is damaged/, String(place))
  }
  await assert.rejects(readAll(Buffer.from('a text that is not a tar at all'.repeat(40))), /no tar archive/)
})

test('detects an impossible length before any content is read', async () => {
  const archive = Buffer.concat([encodeHeader('offhook.db', 5_000_000_000, at), Buffer.alloc(2_048)])
  const taken: string[] = []
  const read = async (): Promise<void> => {
    for await (const { name } of tarEntries(inChunks(archive, 512), archive.length)) taken.push(name)
  }
  await assert.rejects(read(), /offhook\.db should have 5000000000 bytes, and so many do not follow/)
  assert.deepEqual(taken, [])
})
