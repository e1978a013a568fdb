// test: own process
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { TarWriter } from '#core/kernel/tar/tar-writer.ts'
import { tarEntries } from '#core/kernel/tar/tar-reader.ts'
import { readSettings, type Settings } from '#settings/config.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { makeBackup, type BackupReport, type BackupRequest } from './make-backup.ts'
import { restoreBackup, type RestoreRequest } from './restore-backup.ts'

const run = promisify(execFile)
const at = Date.UTC(2026, 10, 16, 3)
const never = new AbortController().signal
const recording = 'recordings/1234567/9d3c8a52-1a1a-4c8f-9d8d-5e7f5a1c2b3d.wav'

const settingsFor = (data: string, more: Record<string, string> = {}): Settings => readSettings({ OFFHOOK_DATA: data, ...more })

const write = async (data: string, name: string, content: string | Uint8Array): Promise<void> => {
  await mkdir(dirname(join(data, name)), { recursive: true })
  await writeFile(join(data, name), content, { mode: 0o600 })
}

/** A data folder of a stopped service. */
const anInstallation = async (t: TestContext) => {
  const data = join(await temporaryFolder(t), 'data')
  await mkdir(data)
  const store = await sqliteStore(join(data, 'offhook.db'))
  await store.write((tables) => tables.settings.setOnce('a setting', 'its value'))
  await write(data, 'secret.key', `${randomBytes(32).toString('base64')}\n`)
  await write(data, 'first-run.json', '{"token":"t"}')
  await write(data, recording, randomBytes(70_000))
  await write(data, 'recordings/1234567/grows.wav.0123abcd.part', 'half of it')
  await write(data, 'faxes/1234567/f/document.pdf', 'a fax')
  await write(data, 'mail/20261116T030000000Z-000000-01234567.eml', 'a mail')
  await write(data, 'waiting-host-127.0.0.1-5060.journal', 'v1:sealed\n')
  await write(data, 'fetched/1234567/x.wav', 'a copy for a moment')
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= store.close())
  t.after(close)
  return { data, store, close, settings: settingsFor(data) }
}

const backUp = (settings: Settings, to: BackupRequest['to'], more: Partial<BackupRequest> = {}): Promise<BackupReport> =>
  makeBackup(settings, { to, withKey: false, files: 'here', signal: never, now: () => at, ...more })

async function* contentOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes.length; from += 10_000) yield bytes.subarray(from, from + 10_000)
}

const restore = (settings: Settings, archive: Uint8Array, more: Partial<RestoreRequest> = {}) =>
  restoreBackup(settings, {
    source: { content: contentOf(archive), bytes: archive.length },
    keyFile: undefined,
    rehearsal: false,
    signal: never,
    ...more,
  })

const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder)).toSorted()

/** An archive without its key, and a target folder. */
const aBackup = async (t: TestContext, more: Partial<BackupRequest> = {}) => {
  const { data, settings } = await anInstallation(t)
  const folder = await temporaryFolder(t)
  const file = join(folder, 'offhook.tar')
  const report = await backUp(settings, file, more)
  const target = join(folder, 'restored')
  const keyFile = join(data, 'secret.key')
  return { data, settings, folder, file, report, archive: await readFile(file), target, keyFile }
}

test('backs up a running service into an archive that standard tools can read and verify', async (t) => {
  const { folder, file, report } = await aBackup(t)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await namesIn(folder), ['offhook.tar'])
  const unpacked = join(folder, 'unpacked')
  await mkdir(unpacked)
  await run('tar', ['-xf', file, '-C', unpacked])
  const { stdout } = await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: unpacked })
  const listed = stdout.trim().split('\n')
  const names = ['backup.json', 'offhook.db', 'waiting-host-127.0.0.1-5060.journal', recording, 'faxes/1234567/f/document.pdf']
  assert.deepEqual(
    listed,
    [...names, 'mail/20261116T030000000Z-000000-01234567.eml'].map((name) => `${name}: OK`),
  )
  const { manifest, end } = report
  assert.deepEqual([end.files, end.missing, manifest.at, manifest.database.engine], [6, [], '2026-11-16T03:00:00.000Z', 'sqlite'])
  assert.match(JSON.stringify(manifest), /"lastMigration":"\d{4}-[\w-]+".*"key":\{"fingerprint":"[0-9a-f]{16}","included":false\}/)
  assert.deepEqual(JSON.parse(await readFile(join(unpacked, 'backup.json'), 'utf8')), manifest)
})

test('restores the state at the time of the backup, regardless of later writes', async (t) => {
  const { data, settings, store } = await anInstallation(t)
  const pieces: Buffer[] = []
  await backUp(settings, async (piece) => {
    // The database was copied before the first byte arrives, so this write is later.
    if (pieces.length === 0) await store.write((tables) => tables.settings.replace('a setting', { from: 'its value', to: 'another' }))
    pieces.push(Buffer.from(piece))
  })
  const target = join(await temporaryFolder(t), 'new/data')
  const { manifest } = await restore(settingsFor(target), Buffer.concat(pieces), { keyFile: join(data, 'secret.key') })
  assert.equal(manifest.key.included, false)
  const kept = ['faxes', 'mail', 'offhook.db', 'recordings', 'secret.key', 'waiting-host-127.0.0.1-5060.journal']
  assert.deepEqual(await namesIn(target), kept)
  for (const name of [recording, 'secret.key', 'faxes/1234567/f/document.pdf'])
    assert.ok((await readFile(join(data, name))).equals(await readFile(join(target, name))), name)
  for (const name of ['secret.key', 'offhook.db', recording]) assert.equal((await stat(join(target, name))).mode & 0o777, 0o600, name)
  assert.deepEqual(await namesIn(join(target, 'recordings/1234567')), [recording.split('/')[2]])
  const again = await sqliteStore(join(target, 'offhook.db'))
  assert.equal(await again.read.settings.get('a setting'), 'its value')
  await again.close()
})

test('restores without other files when the key is included; does not write a key from the settings to disk', async (t) => {
  const { archive, target } = await aBackup(t, { withKey: true })
  await restore(settingsFor(target), archive)
  assert.ok((await namesIn(target)).includes('first-run.json'))
  const key = (await readFile(join(target, 'secret.key'), 'utf8')).trim()
  const other = `${target}-other`
  await restore(settingsFor(other, { OFFHOOK_SECRET_KEY: key }), archive)
  assert.ok(!(await namesIn(other)).includes('secret.key'))
})

test('backs up only the database when files are excluded', async (t) => {
  const { report } = await aBackup(t, { files: 'none' })
  assert.equal(report.end.files, 3)
})

test('lists files that are erased during the backup and continues', async (t) => {
  const { data, settings } = await anInstallation(t)
  const pieces: Buffer[] = []
  const { end } = await backUp(settings, async (piece) => {
    if (pieces.length === 0) await rm(join(data, 'faxes/1234567/f'), { recursive: true })
    pieces.push(Buffer.from(piece))
  })
  assert.deepEqual([end.files, end.missing], [5, []])
  await write(data, 'mail/odd name', 'x')
  const { end: odd } = await backUp(settings, async () => {})
  assert.deepEqual(odd.missing, ['mail/odd name'])
})

test('leaves no partial archive and keeps the previous one when a backup is aborted or fails', async (t) => {
  const { settings, folder, file, archive } = await aBackup(t)
  const ending = new AbortController()
  ending.abort(new Error('enough'))
  await assert.rejects(backUp(settings, file, { signal: ending.signal }), /enough/)
  assert.deepEqual(await namesIn(folder), ['offhook.tar'])
  assert.ok((await readFile(file)).equals(archive))
  const broken = backUp(settings, () => Promise.reject(new Error('the pipe broke')))
  await assert.rejects(broken, /the pipe broke/)
  await assert.rejects(backUp(settings, join(folder, 'nowhere/offhook.tar')), /Nothing can be written there/)
  assert.ok(!(await namesIn(settings.OFFHOOK_DATA)).some((name) => name.startsWith('.')))
})

test('rejects a backup without an installation and creates no files there', async (t) => {
  const folder = await temporaryFolder(t)
  await assert.rejects(backUp(settingsFor(join(folder, 'data')), join(folder, 'a.tar')), /no secret key/)
  await write(join(folder, 'data'), 'secret.key', `${randomBytes(32).toString('base64')}\n`)
  await assert.rejects(backUp(settingsFor(join(folder, 'data')), join(folder, 'a.tar')), /no database/)
  assert.deepEqual([await namesIn(folder), await namesIn(join(folder, 'data'))], [['data'], ['secret.key']])
})

/** The archive with changed content of some files. */
const changed = async (archive: Uint8Array, change: (name: string, content: Buffer) => [string, Buffer] | undefined): Promise<Buffer> => {
  const pieces: Buffer[] = []
  const tar = new TarWriter(async (piece) => void pieces.push(Buffer.from(piece)))
  for await (const { name, content } of tarEntries(contentOf(archive))) {
    const parts: Buffer[] = []
    for await (const piece of content) parts.push(Buffer.from(piece))
    const now = change(name, Buffer.concat(parts))
    if (now) await tar.add({ name: now[0], bytes: now[1].length, changedAt: at }, [now[1]])
  }
  await tar.end()
  return Buffer.concat(pieces)
}

test('rejects damaged, incomplete or forged archives with a reason and leaves no files', async (t) => {
  const { archive, target, keyFile } = await aBackup(t)
  const instead = (wanted: string, as: (content: Buffer) => [string, Buffer] | undefined): Promise<Buffer> =>
    changed(archive, (name, content) => (name === wanted ? as(content) : [name, content]))
  const text = (name: string, words: string): [string, Buffer] => [name, Buffer.from(words)]
  const manifestWith = (more: object) =>
    instead('backup.json', (content) => text('backup.json', JSON.stringify({ ...(JSON.parse(content.toString()) as object), ...more })))
  const middle = Buffer.from(archive)
  middle[archive.length - 20_000] = (middle[archive.length - 20_000] ?? 0) ^ 1
  const cases: [Uint8Array, RegExp][] = [
    [archive.subarray(0, archive.length >> 1), /is cut off/],
    [archive.subarray(0, archive.length - 3_000), /is cut off/],
    [middle, /is damaged: .* is not what it was/],
    [Buffer.from('not a tar'.repeat(200)), /no tar archive/],
    [new Uint8Array(0), /is cut off/],
    [await instead(recording, () => undefined), /is damaged: recordings\/.* is missing/],
    [await instead('SHA256SUMS', () => undefined), /is not complete: SHA256SUMS is missing|end\.json/],
    [await instead('end.json', () => undefined), /is not complete: end\.json is missing/],
    [await instead('backup.json', () => text('backup.json', '{}')), /is no backup of Offhook/],
    [await instead('backup.json', () => text('other.json', '{}')), /is no backup of Offhook/],
    [await instead('backup.json', () => text('backup.json', '{"backup":"offhook",')), /backup\.json cannot be read/],
    [await instead('backup.json', () => text('backup.json', '{"backup":"offhook","format":1}')), /backup\.json is not complete/],
    [await manifestWith({ format: 7, version: '9.0.0' }), /has format 7.*9\.0\.0/],
    [await instead(recording, (content) => ['secret.key', content]), /has something in it that a backup has not: secret\.key/],
    [await instead(recording, (content) => ['etc/cron', content]), /has something in it that a backup has not: etc\/cron/],
    [await instead(recording, (content) => ['faxes/1234567/f/document.pdf', content]), /document\.pdf is in it twice/],
    [
      await instead('end.json', (content) => text('end.json', content.toString().replace(/"seal": "../, '"seal": "zz'))),
      /does not have the secret key/,
    ],
    [await instead('SHA256SUMS', (content) => ['SHA256SUMS', content.subarray(0, -1)]), /SHA256SUMS is cut off/],
    [await instead('SHA256SUMS', (content) => ['SHA256SUMS', content.subarray(0, content.lastIndexOf(10, -2) + 1)]), /is not listed/],
  ]
  for (const [bytes, why] of cases) {
    await assert.rejects(restore(settingsFor(target), bytes, { keyFile }), why)
    await assert.rejects(stat(target), { code: 'ENOENT' }, String(why))
  }
  await mkdir(target)
  for (const [bytes, why] of cases) {
    await assert.rejects(restore(settingsFor(target), bytes, { keyFile }), why)
    assert.deepEqual(await namesIn(target), [], String(why))
  }
})

test('rejects a newer schema, another key and a folder in use', async (t) => {
  const { archive, target, keyFile, data, settings } = await aBackup(t)
  const newer = await changed(archive, (name, content) => {
    if (name !== 'backup.json') return [name, content]
    return [name, Buffer.from(content.toString().replace(/"oldestReader": \d+/, '"oldestReader": 99'))]
  })
  await assert.rejects(restore(settingsFor(target), newer, { keyFile }), /Restore it with version/)
  await assert.rejects(restore(settingsFor(target), archive), /does not contain the secret key \(fingerprint [0-9a-f]{16}\)/)
  const wrong = join(dirname(keyFile), 'wrong.key')
  await writeFile(wrong, randomBytes(32).toString('base64'))
  await assert.rejects(restore(settingsFor(target), archive, { keyFile: wrong }), /secret key is another one/)
  await writeFile(wrong, 'no key')
  await assert.rejects(restore(settingsFor(target), archive, { keyFile: wrong }), /must be 32 bytes/)
  await assert.rejects(restore(settings, archive, { keyFile }), /is not empty/)
  assert.ok((await namesIn(data)).includes('offhook.db'))
  const ending = new AbortController()
  ending.abort(new Error('enough'))
  await assert.rejects(restore(settingsFor(target), archive, { keyFile, signal: ending.signal }), /enough/)
  await assert.rejects(stat(target), { code: 'ENOENT' })
})

test('accepts a key that is already in the folder', async (t) => {
  const { archive, target, keyFile } = await aBackup(t)
  await mkdir(join(target, 'lost+found'), { recursive: true })
  await write(target, 'secret.key', await readFile(keyFile))
  await restore(settingsFor(target), archive)
  assert.ok((await readFile(join(target, 'secret.key'))).equals(await readFile(keyFile)))
})

test("rejects a restore by root into another user's folder", { skip: process.getuid?.() !== 0 && 'only root could' }, async (t) => {
  const { archive, target, keyFile } = await aBackup(t)
  await mkdir(target)
  await chown(target, 65_534, 65_534)
  await assert.rejects(restore(settingsFor(target), archive, { keyFile }), /belongs to user 65534.*run the command as that user/)
  assert.deepEqual(await namesIn(target), [])
})

test('rejects a damaged database', async (t) => {
  const { data, settings, close } = await anInstallation(t)
  await close()
  await chmod(join(data, 'offhook.db'), 0o600)
  await truncate(join(data, 'offhook.db'), 40_960)
  await assert.rejects(backUp(settings, join(data, '../a.tar')), /damaged|malformed/)
})

test('drops dialogs of running calls at a restore, and disables messages and trunks at a rehearsal', async (t) => {
  const { data, settings } = await anInstallation(t)
  const raw = new DatabaseSync(join(data, 'offhook.db'))
  raw.exec(`insert into running_call (call_id, owner, saved_at, snapshot) values ('c', 'o', 1, '{"dialogs":[{"to":"phone"}],"sides":[1]}')`)
  raw.exec(`insert into outbox (id, kind, payload, state, attempts, due_at, leased_until, last_error, created_at)
    values ('m', 'mail', '{}', 'PENDING', 0, 1, 0, '', 1)`)
  raw.exec(
    `insert into job (id, kind, payload, due_at, leased_until, attempts) values ('s', 'sms.send', '{}', 1, 0, 0), ('w', 'sms.sweep', '{}', 1, 0, 0)`,
  )
  raw.exec(`insert into trunk (id, name, settings, password_sealed, active, created_at, updated_at) values ('t', 'T', '{}', '', 1, 1, 1)`)
  raw.close()
  const folder = await temporaryFolder(t)
  await backUp(settings, join(folder, 'a.tar'), { withKey: true })
  const archive = await readFile(join(folder, 'a.tar'))
  const found = async (name: string, rehearsal: boolean): Promise<unknown[]> => {
    await restore(settingsFor(join(folder, name)), archive, { rehearsal })
    const restored = new DatabaseSync(join(folder, name, 'offhook.db'))
    const rows = [
      'select version, snapshot from running_call',
      'select state from outbox',
      'select id from job order by id',
      'select active from trunk',
    ]
    const values = rows.flatMap((sql) =>
      restored
        .prepare(sql)
        .all()
        .flatMap((row) => Object.values(row)),
    )
    restored.close()
    return values
  }
  const silent = [2_147_483_647, '{"dialogs":[],"sides":[1]}']
  assert.deepEqual(await found('real', false), [...silent, 'PENDING', 's', 'w', 1])
  assert.deepEqual(await found('rehearsed', true), [...silent, 'DEAD', 'w', 0])
  const shared = settingsFor(join(folder, 'shared'), { OFFHOOK_FILES: 's3://office/offhook' })
  await assert.rejects(restore(shared, archive, { rehearsal: true }), /must not share its store/)
})
