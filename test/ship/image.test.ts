import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { Containers } from '#test/machine/containers.ts'
import { blocksOf } from '#test/guides/blocks.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { ourRoot } from '#test/machine/program.ts'
import { packedOnce } from '#test/packages/packed-once.ts'
import { needs } from '#test/peers/debian.ts'
import { notesIn } from '#test/service/exchange.ts'
import { joinedPhones } from '#test/service/joined-phones.ts'
import { service, workspaceOf } from '../../release/build/packages.ts'

const run = promisify(execFile)
const [debian, node, image] = ['localhost/debian:test', 'localhost/node:test', 'localhost/offhook:test']
const released = workspaceOf(service).version.replace('-dev', '')
const uid = 10_001
const maxBytes = 450_000_000

/** Builds the unmodified Containerfile with base images made here; npm uses its cache. */
const build = async (t: TestContext, containers: Containers): Promise<void> => {
  const bases = async (): Promise<void> => {
    await containers.debian(debian)
    await containers.node(node, debian)
  }
  const [packed] = await Promise.all([packedOnce(t), bases()])
  const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim()
  await mkdir(cache, { recursive: true })
  const args = [
    '--build-arg',
    `NODE=${node}`,
    '--build-arg',
    `DEBIAN=${debian}`,
    '--build-arg',
    'REVISION=abc123',
    '--volume',
    `${cache}:/npm`,
    '-t',
    image,
  ]
  await containers.build(packed, join(ourRoot, 'deploy/image/Containerfile'), ...args)
}

/** Options of the guide, except for name, folder and ports. */
const rights = (): string[] => {
  const command = blocksOf('docs/guides/container.md').find(({ text }) => text.startsWith('podman run'))?.text ?? assert.fail()
  const words = command.slice(command.indexOf('--network'), command.indexOf('--volume')).replaceAll('\\', ' ')
  return words.split(/\s+/).filter((word) => word !== '')
}

const possible = async (t: TestContext): Promise<boolean> => {
  if (process.getuid?.() === 0) return needs(t, 'podman', 'buildah', 'runc', 'mmdebstrap')
  t.skip('skipped: only root can build an image of Debian packages')
  return false
}

test('builds a small unprivileged image, which carries a call and lets it end after SIGTERM', async (t) => {
  if (!(await possible(t))) return
  const containers = await Containers.open(t)
  await build(t, containers)
  const size = Number(await containers.podman('image', 'inspect', '--format', '{{.Size}}', image))
  t.diagnostic(`${Math.round(size / 1e6)} MB`)
  assert.ok(size <= maxBytes, `${size} bytes`)

  const labels = JSON.parse(await containers.podman('image', 'inspect', '--format', '{{json .Config.Labels}}', image)) as Record<
    string,
    string
  >
  const stated = ['title', 'licenses', 'version', 'revision', 'base.name'].map((name) => labels[`org.opencontainers.image.${name}`])
  assert.deepEqual(stated, ['Offhook', 'MIT', released, 'abc123', debian])

  const [data, port] = [join(containers.folder, 'data'), await freePorts(t, 3)]
  await mkdir(data, { mode: 0o700 })
  await chown(data, uid, uid)
  const [http, sip] = [`127.0.0.1:${port}`, `127.0.0.1:${port + 1}`]
  const settings = [`OFFHOOK_HTTP=${http}`, `OFFHOOK_SIP=${sip}`, 'OFFHOOK_SPEECH=off', 'OFFHOOK_SHED_LOAD=off', 'OFFHOOK_DEMO=on'].flatMap(
    (setting) => ['--env', setting],
  )
  await containers.start(image, 'one', [...rights(), '--volume', `${data}:/var/lib/offhook`, ...settings])
  await until('the container is healthy', () =>
    containers.podman('healthcheck', 'run', 'one').then(
      () => true,
      () => undefined,
    ),
  )
  assert.equal(await containers.podman('exec', 'one', 'id', '-u'), String(uid))
  await assert.rejects(containers.podman('exec', 'one', 'touch', '/opt/offhook/written'), /Read-only file system/)
  assert.match(await containers.podman('exec', 'one', 'offhook', 'doctor'), /libspandsp is there[^]*Poppler makes pages/)

  const { caller, call, number } = await joinedPhones(t, { http: `http://${http}`, sip, notes: await notesIn(data) })
  await containers.podman('kill', '--signal', 'TERM', 'one')
  await until('new calls are refused', async () => (await caller.request('OPTIONS', `sip:${sip}`)).status === 503 || undefined)
  assert.equal((await caller.call(number).ended).status, 503)
  assert.equal(call.session.state, 'confirmed')
  await call.session.end()
  assert.equal(await containers.podman('wait', 'one'), '0')
})
