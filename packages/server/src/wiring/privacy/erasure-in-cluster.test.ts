// test: slow
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { s3Blobs } from '#adapters/blobs/s3-blobs.ts'
import { readSettings } from '#settings/config.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { startSwift } from '#test/peers/swift.ts'
import { plantAccount, talkativeEndpoint } from '#test/privacy/plant-account.ts'
import { Planted } from '#test/privacy/planted.ts'
import { dumpablePostgres, inBlobs, remainsIn } from '#test/privacy/remains.ts'
import { startWorld, type World } from '#test/world/world.ts'
import { s3Options } from '../files/open-files.ts'

test('leaves none of 200 values of an erased account in the bucket, the database and the folders of both machines', async (t) => {
  const swift = await startSwift(t)
  if (!swift) return
  const planted = new Planted('zarquon', '1111')
  const endpoint = await talkativeEndpoint(t, () => planted)
  const url = await dumpablePostgres()
  const settings = {
    DATABASE_URL: url,
    OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64'),
    OFFHOOK_FILES: `s3://${swift.bucket}/offhook`,
    OFFHOOK_S3_URL: swift.url,
    OFFHOOK_S3_KEY: swift.key,
    OFFHOOK_S3_SECRET: swift.secret,
    OFFHOOK_EGRESS_ALLOW: endpoint.address,
  }
  const hub = new LocalHub()
  const clock = new VirtualClock()
  const open = (): Promise<World> => startWorld(t, { settings, sharedClock: clock, replaced: { bus: localBus(hub) } })
  const [here, there] = [await open(), await open()]
  const bucket = s3Blobs(s3Options(readSettings(settings)) ?? assert.fail('no store'))
  t.after(() => bucket.close())
  const remains = async (): Promise<string[]> => {
    const places = [await remainsIn(here.data, url, planted.tokens), await remainsIn(there.data, url, planted.tokens)]
    return [...new Set([...places.flat(), ...(await inBlobs(bucket, planted.tokens))])].toSorted()
  }

  const ada = await here.newAccount()
  await plantAccount(t, here, ada, planted, endpoint)
  // Each machine writes its own mails.
  await mkdir(join(there.data, 'mail'))
  await writeFile(join(there.data, 'mail', '20260101T000000000Z-000000-01234567.eml'), `To: ${ada.email}\n\nDear ${planted.name()}\n`)
  for (const world of [here, there]) await world.running.idle()
  assert.equal((await inBlobs(bucket, planted.tokens)).length > 0, true, 'files are in the bucket')
  assert.ok(planted.tokens.length >= 200)
  assert.ok((await remains()).length >= planted.tokens.length - 1)

  await there.running.deps.personalData.erase({ type: 'account', accountId: ada.accountId })
  for (const world of [here, there]) await world.running.idle()
  assert.deepEqual(await remains(), [])
  const journals = []
  for await (const { key } of bucket.list('erasures/')) journals.push(key)
  assert.equal(journals.length, 1)
})
