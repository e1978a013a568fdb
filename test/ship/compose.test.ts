import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { freePorts } from '#test/machine/free-ports.ts'
import { listening, startPeer, until, type PeerProcess } from '#test/machine/peer-process.ts'
import { offhook, ourRoot, ready, said } from '#test/machine/program.ts'
import { assertSettings } from '#test/machine/settings-check.ts'
import { endBeforeRemoval, temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { notesIn } from '#test/service/exchange.ts'
import { joinedPhones } from '#test/service/joined-phones.ts'
import { createDatabase, debianPrograms, startPostgres } from '#test/store/postgres.ts'

const run = promisify(execFile)
const folder = join(ourRoot, 'deploy/compose')
const token = '0123456789abcdef'

interface Service {
  image: string
  command?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  network_mode?: string
  stop_grace_period?: string
  read_only?: boolean
}

/** The example with its secrets filled in. */
const filledIn = async (t: TestContext): Promise<string> => {
  const example = await readFile(join(folder, 'env.example'), 'utf8')
  const file = join(await temporaryFolder(t), 'env')
  const secret = Buffer.alloc(32, 7).toString('base64')
  const filled = example.replace('OFFHOOK_SECRET_KEY=\n', `OFFHOOK_SECRET_KEY=${secret}\n`)
  await writeFile(file, filled.replaceAll(/^(POSTGRES_PASSWORD|BUS_TOKEN|EDGE_SECRET)=$/gm, `$1=${token}`))
  return file
}

/** Services as compose parses the file. */
const services = async (env: string): Promise<Record<string, Service>> => {
  const { stdout } = await run('docker-compose', ['--env-file', env, '-f', join(folder, 'compose.yaml'), 'config'], { cwd: folder })
  return (parse(stdout) as { services: Record<string, Service> }).services
}

const seconds = (period: string): number => {
  const [, minutes = '0', rest = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(period) ?? assert.fail(period)
  return Number(minutes) * 60 + Number(rest)
}

/** The bus, the edge and the proxy with the compose files; only their ports differ. */
const startAround = async (
  t: TestContext,
  ports: { http: number; sip: number; bus: number; edge: number; ws: number; https: number },
): Promise<void> => {
  const home = await temporaryFolder(t)
  const text = await readFile(join(folder, 'Caddyfile'), 'utf8')
  await writeFile(join(home, 'Caddyfile'), text.replace('127.0.0.1:8080', `127.0.0.1:${ports.http}`).replace(':5066', `:${ports.ws}`))
  const edge = { EDGE_ADDRESS: '127.0.0.1', EDGE_DOMAIN: 'phone.example.org', EDGE_SECRET: 'x', EDGE_PROCESS: `127.0.0.1:${ports.sip}` }
  const places = { EDGE_FILES: join(ourRoot, 'deploy/kamailio'), EDGE_FOLDER: home, EDGE_SIP_PORT: ports.edge, EDGE_WS_PORT: ports.ws }
  const proxy = { OFFHOOK_HOST: `http://127.0.0.1:${ports.https}`, OFFHOOK_ADDRESS: '127.0.0.1', BUS_TOKEN: token }
  const given = Object.entries({ ...edge, ...places, ...proxy }).map(([name, value]) => `${name}=${value}`)
  const start = (...command: string[]): PeerProcess => startPeer(t, 'env', [...given, ...command], home)
  const bus = start('nats-server', '-c', join(folder, 'nats.conf'), '--addr', '127.0.0.1', '--port', String(ports.bus))
  const caddy = start('caddy', 'run', '--adapter', 'caddyfile', '--config', join(home, 'Caddyfile'))
  const kamailio = start(join(ourRoot, 'deploy/image/start-edge'))
  endBeforeRemoval(home, () => Promise.all([bus, caddy, kamailio].map((peer) => peer.stop())))
  await Promise.all([listening(bus, 'tcp', ports.bus), listening(kamailio, 'udp', ports.edge)])
}

suite('compose', () => {
  test('passes compose validation, with pinned image versions and existing mounts', async (t) => {
    if (!(await needs(t, 'docker-compose'))) return
    const all = await services(await filledIn(t))
    assert.deepEqual(Object.keys(all).toSorted(), ['bus', 'edge', 'https', 'offhook', 'postgres'])
    for (const [name, { image, volumes = [] }] of Object.entries(all)) {
      assert.match(image, /:\d+\.\d+(\.\d+)?(-\w+)?$/, name)
      const mounted = volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('/'))
      for (const path of mounted) await access(path)
    }
  })

  test('starts the programs of Debian that the tests start, and the PostgreSQL of the same Debian', async (t) => {
    if (!(await needs(t, 'docker-compose', 'pg_dump'))) return
    const files = ['Containerfile', 'edge.Containerfile', 'around.Containerfile'].map((name) => join(ourRoot, 'deploy/image', name))
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    const [debian = ''] = new Set(texts.flatMap((text) => [...text.matchAll(/^ARG DEBIAN=.*:(\w+)-slim$/gm)].map(([, name]) => name)))
    for (const text of texts) assert.match(text, new RegExp(`^ARG DEBIAN=docker\\.io/library/debian:${debian}-slim$`, 'm'))
    const all = await services(await filledIn(t))
    const images = Object.entries(all).map(([name, { image, command }]) => [name, [image.split(':')[0], command?.[0]]])
    assert.deepEqual(Object.fromEntries(images), {
      bus: ['offhook-around', 'nats-server'],
      edge: ['offhook-edge', undefined],
      https: ['offhook-around', 'caddy'],
      offhook: ['offhook', undefined],
      postgres: ['docker.io/library/postgres', undefined],
    })
    const [, of = ''] = /install .*? ca-certificates (.*) \\$/m.exec(texts[2] ?? '') ?? []
    assert.deepEqual(of.split(' '), ['caddy', 'nats-server'])
    const [programs = ''] = await debianPrograms()
    const [, major] = / (\d+)\./.exec((await run(join(programs, 'postgres'), ['--version'])).stdout) ?? []
    assert.match(all['postgres']?.image ?? '', new RegExp(`:${major}\\.\\d+-${debian}$`))
  })

  test('knows every setting it gets, and gives calls the time to end', async (t) => {
    if (!(await needs(t, 'docker-compose'))) return
    const { offhook: service } = await services(await filledIn(t))
    const { environment = {}, network_mode, stop_grace_period = '', read_only } = service ?? assert.fail()
    await assertSettings(t, environment)
    assert.deepEqual([network_mode, read_only], ['host', true])
    assert.ok(seconds(stop_grace_period) >= Number(environment['OFFHOOK_DRAIN_SECONDS']) + 30)
  })

  test('does not start without its secrets', async (t) => {
    if (!(await needs(t, 'docker-compose'))) return
    await assert.rejects(services(join(folder, 'env.example')), /openssl rand/)
  })

  test('passes validation of the Caddy, NATS and Kamailio files', async (t) => {
    if (!(await needs(t, 'caddy', 'nats-server', 'kamailio', 'websocket.so', 'outbound.so', 'tls.so'))) return
    const home = await temporaryFolder(t)
    const env = { ...process.env, HOME: home, OFFHOOK_HOST: 'phone.example.org', OFFHOOK_ADDRESS: '192.0.2.10', BUS_TOKEN: 'x' }
    await run('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], { env })
    await run('nats-server', ['-t', '-c', join(folder, 'nats.conf')], { env })
    const edge = { EDGE_ADDRESS: '127.0.0.1', EDGE_DOMAIN: 'sip.example.org', EDGE_SECRET: 'x', EDGE_PROCESS: '127.0.0.1:5070' }
    const files = { EDGE_FILES: join(ourRoot, 'deploy/kamailio'), EDGE_FOLDER: home }
    const { stderr } = await run(join(ourRoot, 'deploy/image/start-edge'), ['-c'], { env: { ...env, ...edge, ...files } })
    assert.match(stderr, /config file ok/)
    assert.equal(await readFile(join(home, 'processes'), 'utf8'), '1 sip:127.0.0.1:5070 8 0\n2 sip:127.0.0.1:5070 0 0\n')
  })

  test('carries a call through the edge and a page through the proxy with those settings', async (t) => {
    if (!(await needs(t, 'docker-compose', 'pg_dump', 'caddy', 'nats-server', 'kamailio', 'websocket.so', 'outbound.so', 'tls.so'))) return
    const postgres = await startPostgres(debianPrograms)
    t.after(() => postgres.stop())
    const first = await freePorts(t, 6)
    const [http, sip, bus, edge, ws, https] = [0, 1, 2, 3, 4, 5].map((index) => first + index) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    await startAround(t, { http, sip, bus, edge, ws, https })
    const { offhook: service } = await services(await filledIn(t))
    const data = await temporaryFolder(t)
    const program = offhook(t, ['serve'], {
      ...service?.environment,
      DATABASE_URL: await createDatabase(postgres.url, { name: 'offhook' }),
      OFFHOOK_BUS: `nats://${token}@127.0.0.1:${bus}`,
      OFFHOOK_HTTP: `127.0.0.1:${http}`,
      OFFHOOK_SIP: `127.0.0.1:${sip}`,
      OFFHOOK_SIP_EDGE: '127.0.0.1',
      OFFHOOK_DATA: data,
      OFFHOOK_SPEECH: 'off',
      OFFHOOK_DEMO: 'on',
    })
    await ready(program)
    await said(program, 'stderr', /"event":"bus_connected"/)
    await until('a page through the proxy', () =>
      fetch(`http://127.0.0.1:${https}/ready`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    )
    await joinedPhones(t, { http: `http://127.0.0.1:${https}`, sip: `127.0.0.1:${edge}`, notes: await notesIn(data) })
  })
})
