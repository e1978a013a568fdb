import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { InstanceFile, readInstance, type InstanceNotes } from '#adapters/machine/instance-file.ts'
import { temporaryFolder } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'
import { baseUrlOf } from './connection.ts'
import { dataFolders, findInstance } from './instance.ts'

test('finds a service by its notes in the data folder, which it removes when it ends', async (t) => {
  const { data, running, url } = await startWorld(t)
  const file = join(data, 'instance.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const notes = JSON.parse(await readFile(file, 'utf8')) as InstanceNotes
  assert.deepEqual(
    [notes.instance, notes.pid, notes.addresses.http, notes.addresses.sip],
    [running.deps.presence.id, process.pid, url, running.sip.replace('sip:', '')],
  )
  assert.match(notes.version, /^\d+\.\d+\.\d+/)
  assert.deepEqual(await findInstance([join(data, 'nowhere'), data]), { notes, state: 'running' })
  const environment = { OFFHOOK_DATA: data, OFFHOOK_HTTP: '127.0.0.1:1' }
  assert.equal(await baseUrlOf({}, {}, environment), url, 'it is known better than by the settings')
  assert.equal(await baseUrlOf({}, {}, { ...environment, OFFHOOK_URL: 'http://elsewhere:1' }), 'http://elsewhere:1')
  const config = join(data, 'offhook.env')
  await writeFile(config, `OFFHOOK_DATA=${data}\n`)
  assert.deepEqual(dataFolders({ OFFHOOK_CONFIG: config }), [data])
  await running.close()
  assert.equal(await findInstance([data]), undefined)
})

test('recognises notes of a killed service, even if another service has its address', async (t) => {
  const { data, url, running } = await startWorld(t)
  const notes = (await readInstance(data)) ?? assert.fail()
  const elsewhere = await temporaryFolder(t)
  const put = (changed: Partial<InstanceNotes>) => new InstanceFile(elsewhere).write({ ...notes, ...changed })
  await put({ instance: 'another', pid: 2 ** 30 })
  assert.equal((await findInstance([elsewhere]))?.state, 'gone')
  assert.equal(await baseUrlOf({}, { baseUrl: 'http://x:1' }, { OFFHOOK_DATA: elsewhere }), 'http://x:1')
  await put({ instance: 'another' })
  assert.equal((await findInstance([elsewhere]))?.state, 'silent', 'its number is in use')
  await writeFile(join(elsewhere, 'instance.json'), 'cut o')
  assert.equal(await findInstance([elsewhere]), undefined)

  const first = new InstanceFile(elsewhere)
  await first.write(notes)
  await put({ instance: 'a second one on the same folder', addresses: { ...notes.addresses, http: url } })
  await first.close()
  assert.equal((await readInstance(elsewhere))?.instance, 'a second one on the same folder', 'not ours to take away')
  await running.close()
})
