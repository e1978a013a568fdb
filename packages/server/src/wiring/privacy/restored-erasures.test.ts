// test: slow
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, readdir } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { DataSubject } from '#core/kernel/ports/account.ts'
import { readSettings, type Settings } from '#settings/config.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startSwift } from '#test/peers/swift.ts'
import { startWorld, type World } from '#test/world/world.ts'
import { makeBackup } from '../backup/make-backup.ts'
import { restoreBackup } from '../backup/restore-backup.ts'

const run = promisify(execFile)
const never = new AbortController().signal
const number = '+4915155566677'
const planted = ['Grace Plantedhopper', 'grace@planted.example', '5155566677', 'called about Plantedwood']

const settingsFor = (data: string, more: Record<string, string> = {}): Settings =>
  readSettings({ OFFHOOK_DATA: data, OFFHOOK_DEMO: 'off', OFFHOOK_SPEECH: 'off', ...more })

const backUp = (data: string, to: string) =>
  makeBackup(settingsFor(data), { to, withKey: true, files: 'here', signal: never, now: () => Date.now() })

const restore = (data: string, file: string, erasures?: string, more: Record<string, string> = {}) =>
  restoreBackup(settingsFor(data, more), {
    source: { content: createReadStream(file) as AsyncIterable<Uint8Array>, bytes: undefined },
    keyFile: undefined,
    rehearsal: false,
    signal: never,
    erasures,
  })

/** Planted words that occur in a file of the folder. */
const remains = async (folder: string): Promise<string[]> => {
  const found = planted.map(async (word) => {
    const { stdout } = await run('grep', ['-rlaF', word, folder]).catch((error: { stdout: string }) => error)
    return stdout.trim() === '' ? [] : [word]
  })
  return (await Promise.all(found)).flat()
}

/** A contact and a call with a note, a backup of them, and then an erasure. */
const anErasure = async (
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<{ world: World; folder: string; before: string; subject: DataSubject }> => {
  const world = await startWorld(t, { settings })
  const { accountId, userId, api } = await world.newAccount()
  await api.createContact({}, { name: planted[0] ?? '', numbers: [number], emails: [planted[1] ?? ''], shared: true })
  const at = world.clock.now()
  await world.write((tables) =>
    tables.history.insert(accountId, {
      id: 'call1',
      userId,
      sessionId: 'call1',
      type: 'CALL',
      direction: 'INCOMING',
      source: number,
      target: '+4921112345678',
      sourceAlias: planted[0] ?? '',
      targetAlias: '',
      status: 'PICKUP',
      connectionIds: [],
      endpoints: [],
      detail: {},
      createdAt: at,
      modifiedAt: at,
      read: true,
      archived: false,
      starred: false,
      note: planted[3] ?? '',
      labels: [],
    }),
  )
  const folder = await temporaryFolder(t)
  const before = join(folder, 'before.tar')
  await backUp(world.data, before)
  const contact = (await api.listContacts()).items[0]
  const subject: DataSubject = { type: 'contact', accountId, contactId: contact?.id ?? assert.fail('no contact') }
  assert.deepEqual((await remains(world.data)).length, planted.length)
  await world.running.deps.personalData.erase(subject)
  assert.deepEqual(await remains(world.data), [])
  return { world, folder, before, subject }
}

test('repeats erasures at a restore by a newer backup or by a journal', async (t) => {
  const { world, folder, before } = await anErasure(t)
  const after = join(folder, 'after.tar')
  await backUp(world.data, after)
  const names: [string, string | undefined][] = [
    ['backup', after],
    ['journal', join(world.data, 'erasures.journal')],
  ]
  for (const [name, erasures] of names) {
    const data = join(folder, name)
    assert.equal((await restore(data, before, erasures)).erased, 1)
    assert.deepEqual(await remains(data), [], name)
    assert.ok(!(await readdir(data)).includes('offhook.db.lock'))
  }
  const unaware = join(folder, 'unaware')
  assert.equal((await restore(unaware, before)).erased, 0)
  assert.equal((await remains(unaware)).length, planted.length)
  await assert.rejects(restore(join(folder, 'refused'), before, join(world.data, 'secret.key')), /neither a backup nor a journal/)
  // A backup from after the erasure contains it, and persons who came back since are not erased.
  assert.equal((await restore(join(folder, 'later'), after)).erased, 0)
})

test('repeats erasures of the journal at the start that the database does not contain', async (t) => {
  const { world, folder, before, subject } = await anErasure(t)
  const data = join(folder, 'restored')
  await restore(data, before)
  await copyFile(join(world.data, 'erasures.journal'), join(data, 'erasures.journal'))
  const logged: string[] = []
  const again = await startWorld(t, { settings: { OFFHOOK_DATA: data }, replaced: { log: (event) => void logged.push(event) } })
  assert.ok(logged.includes('erasures_repeated'))
  assert.deepEqual(await remains(data), [])
  assert.equal(await again.running.deps.personalData.exists(subject), false)
})

test('reads erasures from the bucket at a restore when the data folder is lost', async (t) => {
  const swift = await startSwift(t)
  if (!swift) return
  const files = {
    OFFHOOK_FILES: `s3://${swift.bucket}/offhook`,
    OFFHOOK_S3_URL: swift.url,
    OFFHOOK_S3_KEY: swift.key,
    OFFHOOK_S3_SECRET: swift.secret,
  }
  const { folder, before } = await anErasure(t, files)
  const restored = join(folder, 'restored')
  assert.equal((await restore(restored, before, undefined, files)).erased, 1)
  assert.deepEqual(await remains(restored), [])
  await swift.stop()
  const { erased, erasuresUnknown } = await restore(join(folder, 'without'), before, undefined, files)
  assert.deepEqual([erased, erasuresUnknown], [0, true])
})
