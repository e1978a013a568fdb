import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startWorld, type World } from '#test/world/world.ts'

/** A real file system of a few megabytes, which only root can create. */
const smallDisk = async (t: TestContext): Promise<string> => {
  const folder = join(await temporaryFolder(t, () => void execFileSync('umount', ['-l', folder])), 'disk')
  await mkdir(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'offhook-test', folder])
  return folder
}

const fill = async (folder: string): Promise<string> => {
  const file = join(folder, 'filler')
  const { bavail, bsize } = await statfs(folder)
  await writeFile(file, Buffer.alloc(bavail * bsize))
  return file
}

const pages = (world: World) => Promise.all(['/ready', '/health'].map(async (page) => (await fetch(`${world.url}${page}`)).status))

test('answers 507 to writes on a full disk, serves reads, is not ready, and recovers', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can make a small disk')
  const folder = await smallDisk(t)
  const world = await startWorld(t, { settings: { OFFHOOK_DATA: folder } })
  const ada = await world.newAccount()
  const change = (alias: string): Promise<Response> =>
    fetch(`${world.url}/v1/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: alias, emails: Array.from({ length: 20 }, (_, n) => `${n}${alias.repeat(200)}@example.com`) }),
    })
  assert.ok((await change('a')).ok, 'while there is room')
  const filler = await fill(folder)
  let refused: Response | undefined
  // Until the space reserved by the database is used up, too.
  for (let n = 0; n < 3000 && !refused; n++) {
    const reply = await change('b')
    if (!reply.ok) refused = reply
  }
  assert.ok(refused)
  const { code } = (await refused.json()) as { code: string }
  assert.deepEqual([refused.status, code, refused.headers.get('retry-after')], [507, 'storage_full', '60'])
  assert.deepEqual(await pages(world), [503, 200])
  assert.equal((await ada.api.getAccount()).company !== undefined, true, 'what is there can be read')
  await rm(filler)
  await world.clock.advance(3_600_000) // its next heartbeat
  assert.deepEqual(await pages(world), [200, 200])
  assert.ok((await change('c')).ok)
})
