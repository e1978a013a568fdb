import assert from 'node:assert/strict'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { blobsSuite } from '#test/conformance/blobs.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { folderBlobs } from './folder-blobs.ts'

blobsSuite({ name: 'folder', open: async (t) => folderBlobs(await temporaryFolder(t)) })

test('folder: only its owner may read it, and partial files are listed under their final name', async (t) => {
  const root = await temporaryFolder(t)
  const blobs = folderBlobs(root)
  async function* content() {
    yield Buffer.from('sound')
  }
  await blobs.put('recordings/1234567/a.wav', content(), { type: 'audio/wav' })
  const modes = await Promise.all(['recordings', 'recordings/1234567', 'recordings/1234567/a.wav'].map((name) => stat(join(root, name))))
  assert.deepEqual(
    modes.map(({ mode }) => mode & 0o777),
    [0o700, 0o700, 0o600],
  )
  await mkdir(join(root, 'faxes/1234567/fax'), { recursive: true })
  await writeFile(join(root, 'faxes/1234567/fax/document.pdf.0a1b2c3d.part'), 'half')
  const found: string[] = []
  for await (const { key } of blobs.list('faxes/')) found.push(key)
  assert.deepEqual(found, ['faxes/1234567/fax/document.pdf'])
  assert.equal(await blobs.open('faxes/1234567/fax/document.pdf'), undefined)
})
