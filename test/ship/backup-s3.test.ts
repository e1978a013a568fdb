import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { s3Blobs } from '#adapters/blobs/s3-blobs.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { output, offhook } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startSwift } from '#test/peers/swift.ts'

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield content
}

test('lists files on S3 in the backup, or includes them on request', async (t) => {
  const swift = await startSwift(t)
  if (!swift) return
  const { url, key, secret, region, bucket } = swift
  const folder = await temporaryFolder(t)
  const data = join(folder, 'data')
  const store = s3Blobs({ bucket, prefix: 'offhook/', url, region, key, secret, encryption: undefined, clock: realClock(), style: 'path' })
  t.after(() => store.close())
  const contents: Record<string, Buffer> = {
    'recordings/1234567/one.wav': randomBytes(9_000_000),
    'recordings/1234567/both.wav': randomBytes(1_000),
    'faxes/1234567/f/document.pdf': randomBytes(100),
  }
  for (const [name, content] of Object.entries(contents)) await store.put(name, once(content), { type: 'audio/wav' })
  await (await sqliteStore(join(data, 'offhook.db'))).close()
  await mkdir(join(data, 'recordings/1234567'), { recursive: true })
  // Uploaded, and not yet removed locally.
  await writeFile(join(data, 'recordings/1234567/both.wav'), contents['recordings/1234567/both.wav'] ?? '')
  const secretKey = randomBytes(32).toString('base64')
  const s3 = { OFFHOOK_FILES: `s3://${bucket}/offhook`, OFFHOOK_S3_URL: url, OFFHOOK_S3_KEY: key, OFFHOOK_S3_SECRET: secret }
  const run = async (args: string[], settings: Record<string, string>): Promise<string> => {
    const [code, , said] = await output(offhook(t, args, { OFFHOOK_SECRET_KEY: secretKey, ...settings }))
    assert.equal(code, 0, said)
    return said
  }
  const archive = join(folder, 'a.tar')
  const said = await run(['backup', archive], { OFFHOOK_DATA: data, ...s3 })
  assert.match(said, /in 3 files, .*\nRecordings and faxes that are in s3:\/\/office\/offhook\/ at http:.* stay there/)
  const all = await run(['backup', '--files', 'all', archive], { OFFHOOK_DATA: data, ...s3 })
  assert.match(all, /in 5 files/)
  assert.doesNotMatch(all, /stay there/)
  const restored = join(folder, 'restored')
  await run(['restore', archive], { OFFHOOK_DATA: restored })
  for (const [name, content] of Object.entries(contents)) assert.ok(content.equals(await readFile(join(restored, name))), name)
})
