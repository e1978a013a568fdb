import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { folderBlobs } from '#adapters/blobs/folder-blobs.ts'
import { folderFileStore } from '#adapters/blobs/file-store.ts'
import type { ArchiveContent, ArchiveName, ExportArchives, PersonalRows } from '#core/kernel/ports/account.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { exportArchives } from './export-archives.ts'

const run = promisify(execFile)
const at = Date.UTC(2026, 10, 16)
const name = { accountId: '1234567', exportId: 'e1' }

const open = async (t: TestContext): Promise<{ archives: ExportArchives; data: string; clock: VirtualClock }> => {
  const data = await temporaryFolder(t)
  const clock = new VirtualClock()
  return { data, clock, archives: exportArchives({ files: folderFileStore(folderBlobs(data)), dataFolder: data, wallClock: clock }) }
}

async function* each<T>(...items: T[]): AsyncGenerator<T, void, undefined> {
  yield* items
}

const content = (rows: PersonalRows[], files: string[], signal = new AbortController().signal): ArchiveContent => ({
  rows: each(...rows),
  files: each(...files),
  readme: 'Read me.\n',
  about: { subject: { type: 'USER', id: 'w1' } },
  at,
  signal,
})

const put = async (data: string, key: string, bytes: Uint8Array): Promise<void> => {
  await mkdir(dirname(join(data, key)), { recursive: true })
  await writeFile(join(data, key), bytes)
}

test('GNU tar and sha256sum read the archive: tables as JSON, files byte by byte', async (t) => {
  const { archives, data } = await open(t)
  const sound = randomBytes(700_000)
  await put(data, 'recordings/1234567/r1.wav', sound)
  const contacts = Array.from({ length: 3_000 }, (_, n) => ({ id: n, name: `Grüße ${n} ${'x'.repeat(50)}` }))
  const rows = [
    { table: 'contact', rows: contacts.slice(0, 2_000) },
    { table: 'app_user', rows: [{ ext: 'w1', email: 'ada@example.com' }] },
    { table: 'contact', rows: contacts.slice(2_000) },
    { table: 'sms', rows: [] },
  ]
  const facts = await archives.write(name, content(rows, ['recordings/1234567/r1.wav', 'recordings/1234567/gone.wav']))
  assert.deepEqual([facts.rows, facts.files], [3_001, 1])
  const path = join(data, 'exports/1234567/e1.tar')
  assert.equal((await stat(path)).size, facts.bytes)
  const out = join(data, 'out')
  await mkdir(out)
  await run('tar', ['-xf', path, '-C', out])
  await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: out })
  const json = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(out, file), 'utf8'))
  assert.deepEqual(await json('data/contact.json'), contacts)
  assert.deepEqual(await json('data/sms.json'), [])
  assert.ok(sound.equals(await readFile(join(out, 'files/recordings/1234567/r1.wav'))))
  assert.equal(await readFile(join(out, 'README.txt'), 'utf8'), 'Read me.\n')
  assert.deepEqual(await json('export.json'), {
    export: 'offhook',
    format: 1,
    createdAt: '2026-11-16T00:00:00.000Z',
    subject: { type: 'USER', id: 'w1' },
    tables: { contact: 3_000, app_user: 1, sms: 0 },
    files: 1,
    missing: ['recordings/1234567/gone.wav'],
  })
  assert.deepEqual(await readdir(join(data, 'exports')), ['1234567'], 'no work is left')
})

test('opens, lists and removes an archive', async (t) => {
  const { archives } = await open(t)
  assert.equal(await archives.open(name), undefined)
  await archives.write(name, content([], []))
  const file = await archives.open(name)
  assert.equal(file?.bytes, (await file?.read(0, 100_000))?.length)
  await file?.close()
  const names: ArchiveName[] = []
  for await (const one of archives.list()) names.push(one)
  assert.deepEqual(names, [name])
  await archives.remove(name)
  await archives.remove(name)
  assert.equal(await archives.open(name), undefined)
})

test('a failed or aborted archive leaves no files', async (t) => {
  const { archives, data } = await open(t)
  const aborted = new AbortController()
  async function* failing(): AsyncGenerator<PersonalRows, void, undefined> {
    yield { table: 'contact', rows: [{ id: 1 }] }
    throw new Error('database unreachable')
  }
  await assert.rejects(archives.write(name, { ...content([], []), rows: failing() }), /database unreachable/)
  aborted.abort(new Error('the service ends'))
  await assert.rejects(archives.write(name, content([{ table: 'a', rows: [{}] }], [], aborted.signal)), /the service ends/)
  assert.deepEqual(await readdir(join(data, 'exports')), [])
})

test('removes work that a process left behind a day ago', async (t) => {
  const { archives, data, clock } = await open(t)
  await archives.removeLeftovers()
  for (const folder of ['.work-old', '.work-new']) await put(data, `exports/${folder}/table-0`, Buffer.from('[]'))
  const [day, now] = [24 * 3_600, clock.now() / 1000]
  await utimes(join(data, 'exports/.work-old'), now - day - 1, now - day - 1)
  await utimes(join(data, 'exports/.work-new'), now, now)
  await archives.removeLeftovers()
  assert.deepEqual(await readdir(join(data, 'exports')), ['.work-new'])
})
