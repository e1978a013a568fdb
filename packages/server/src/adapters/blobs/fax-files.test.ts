import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { faxFiles } from './fax-files.ts'
import { folderBlobs } from './folder-blobs.ts'
import { folderFileStore } from './file-store.ts'

const fax = { accountId: '1234567', faxId: 'fax' }

test('writes, reads, lists and erases the files of a fax together', async (t) => {
  const data = await temporaryFolder(t)
  const folder = join(data, 'faxes')
  const files = faxFiles(folderFileStore(folderBlobs(data)))
  const listed = async () => {
    const found: object[] = []
    for await (const one of files.list()) found.push(one)
    return found
  }
  assert.deepEqual(await listed(), [])
  assert.equal(await files.open({ ...fax, kind: 'document' }), undefined)
  await files.erase(fax.accountId, fax.faxId)
  await files.write({ ...fax, kind: 'document' }, Buffer.from('%PDF'))
  await files.write({ ...fax, kind: 'document' }, Buffer.from('%PDF-2'))
  const own = join(folder, fax.accountId, fax.faxId)
  assert.deepEqual(await readdir(own), ['document.pdf'], 'nothing half-written stays')
  assert.deepEqual([(await stat(own)).mode & 0o777, (await stat(join(own, 'document.pdf'))).mode & 0o777], [0o700, 0o600])
  const open = await files.open({ ...fax, kind: 'document' })
  assert.deepEqual([open?.bytes, Buffer.from((await open?.read(4, 100)) ?? []).toString()], [6, '-2'])
  await open?.close()

  // Like the engine: the file grows, the folder does not change.
  const pages = await files.pathOf({ ...fax, kind: 'pages' })
  await writeFile(pages, 'II')
  await utimes(own, 1, 1)
  await utimes(join(own, 'document.pdf'), 1, 1)
  await utimes(pages, 2, 2)
  await mkdir(join(folder, 'odd name', 'x'), { recursive: true })
  await writeFile(join(folder, fax.accountId, 'stray.txt'), '')
  assert.deepEqual(await listed(), [{ ...fax, changedAt: 2_000 }])
  await files.erase(fax.accountId, fax.faxId)
  assert.deepEqual(await listed(), [])
})

test('rejects names outside of the folder', async (t) => {
  const folder = await temporaryFolder(t)
  const files = faxFiles(folderFileStore(folderBlobs(folder)))
  await mkdir(join(folder, 'secret'))
  await writeFile(join(folder, 'secret', 'document.pdf'), 'secret')
  for (const [accountId, faxId] of [
    ['..', 'secret'],
    ['.', '../../secret'],
    ['', ''],
  ] as const) {
    await assert.rejects(async () => files.open({ accountId, faxId, kind: 'document' }), /odd name/)
    await assert.rejects(async () => files.write({ accountId, faxId, kind: 'document' }, Buffer.alloc(1)), /odd name/)
    await assert.rejects(async () => files.erase(accountId, faxId), /odd name/)
  }
  assert.equal(await readFile(join(folder, 'secret', 'document.pdf'), 'utf8'), 'secret')
})
