import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { copyFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { makeCertificate, type TestCertificate } from '#test/machine/certificate.ts'
import { temporaryFolder } from '#test/store/databases.ts'
import { PemWatch } from './pem-watch.ts'

const dayMs = 86_400_000

const watch = async (t: TestContext, files: { cert: string; key: string }, clock = new VirtualClock()) => {
  const notified: string[] = []
  const watched = await PemWatch.open({
    clock,
    files,
    onRenewed: () => notified.push('renewed'),
    onUnfit: ({ message }) => notified.push(message),
    onExpiring: (days) => notified.push(`${days} days`),
  })
  t.after(async () => {
    await watched.close()
    assert.equal(clock.pending(), 0)
  })
  return { watched, told: notified, clock }
}

const put = async ({ certFile, keyFile }: TestCertificate, files: { cert: string; key: string }): Promise<void> => {
  await copyFile(certFile, files.cert)
  await copyFile(keyFile, files.key)
}

test('uses a changed pair as soon as both files match, and keeps the old one until then', async (t) => {
  const [first, second] = [await makeCertificate(t), await makeCertificate(t)]
  const folder = await temporaryFolder(t)
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await put(first, files)
  const clock = new VirtualClock(Date.now() - 60 * dayMs)
  const { watched, told: notified } = await watch(t, files, clock)
  const used: string[] = []
  watched.onRenewed(({ cert }) => used.push(cert))
  await clock.advance(60_000)
  await watched.look()
  assert.deepEqual([used, notified], [[], []], 'nothing has changed')

  await copyFile(second.certFile, files.cert) // its key comes later
  await watched.look()
  await watched.look()
  assert.equal(watched.pem.cert, first.cert)
  assert.equal(notified.length, 1, 'said once')
  assert.match(notified[0] ?? '', /key values mismatch/)
  await writeFile(files.key, second.key.slice(0, 60))
  await watched.look()
  await rm(files.key)
  await watched.look()
  assert.match(notified.at(-1) ?? '', /ENOENT/)
  assert.deepEqual(used, [])

  await writeFile(files.key, second.key)
  await clock.advance(30_000) // by its own polling
  await watched.look()
  assert.deepEqual([used, notified.at(-1)], [[second.cert], 'renewed'])
  assert.deepEqual({ ...watched.pem }, { cert: second.cert, key: second.key })
})

test('follows links that are moved to other files, as certbot and Kubernetes do', async (t) => {
  const [first, second] = [await makeCertificate(t), await makeCertificate(t)]
  const folder = await temporaryFolder(t)
  for (const [name, pair] of Object.entries({ first, second })) {
    await mkdir(join(folder, name))
    await put(pair, { cert: join(folder, name, 'tls.crt'), key: join(folder, name, 'tls.key') })
  }
  await symlink('first', join(folder, '..data'))
  await symlink('..data/tls.crt', join(folder, 'tls.crt'))
  await symlink('..data/tls.key', join(folder, 'tls.key'))
  const { watched } = await watch(t, { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') })
  await symlink('second', join(folder, '..data_tmp'))
  await rename(join(folder, '..data_tmp'), join(folder, '..data'))
  await watched.look()
  assert.equal(watched.pem.cert, second.cert)
})

test('warns 21, 7 and 1 days before the expiry, then daily, and not after a renewal', async (t) => {
  const pair = await makeCertificate(t)
  const end = new X509Certificate(pair.cert).validToDate.getTime()
  const files = { cert: pair.certFile, key: pair.keyFile }
  const at = async (days: number): Promise<string[]> => (await watch(t, files, new VirtualClock(end - days * dayMs))).told
  assert.deepEqual(
    [await at(30), await at(20.5), await at(3.5), await at(-1.5)],
    [[], ['20 days'], ['3 days'], ['-2 days']],
    'at the start',
  )
  const { told: notified, clock, watched } = await watch(t, files, new VirtualClock(end - 22.5 * dayMs))
  for (let day = 0; day < 24; day++) {
    await clock.jump(dayMs)
    await watched.look()
  }
  assert.deepEqual(notified, ['21 days', '7 days', '1 days', '0 days', '-1 days', '-2 days'])
  assert.equal(watched.notAfter, end)
})

test('rejects unusable files at the start', async (t) => {
  const [one, other] = [await makeCertificate(t), await makeCertificate(t)]
  await assert.rejects(watch(t, { cert: one.certFile, key: other.keyFile }), /key values mismatch/)
  await assert.rejects(watch(t, { cert: '/nowhere/cert.pem', key: one.keyFile }), /ENOENT/)
})
