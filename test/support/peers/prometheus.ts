import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '../machine/free-ports.ts'
import { startPeer, until, type PeerProcess } from '../machine/peer-process.ts'
import { ourRoot } from '../machine/program.ts'
import { endBeforeRemoval, temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

export interface Series {
  metric: Record<string, string>
  value: [at: number, value: string]
}

/** Running Prometheus with the configuration and the rules of `deploy/prometheus`. */
export interface Prometheus {
  readonly url: string
  readonly folder: string
  /** Response of its API below /api/v1; throws its errors. */
  ask<T>(path: string, parameters?: Record<string, string>): Promise<T>
  /** Result of an expression. */
  query(expr: string): Promise<Series[]>
  /** Value of an expression, once there is exactly one that matches. */
  until(expr: string, wanted: (value: number) => boolean): Promise<number>
}

export interface PrometheusOptions {
  /** host:port of a process. Scraped every second. */
  target: string
  token: string
  /** host:port that receives alerts. */
  alertmanager?: string
}

export const startPrometheus = async (t: Scope, { target, token, alertmanager }: PrometheusOptions): Promise<Prometheus> => {
  const folder = await temporaryFolder(t)
  const ours = join(ourRoot, 'deploy/prometheus')
  await copyFile(join(ours, 'offhook-alerts.yml'), join(folder, 'offhook-alerts.yml'))
  await writeFile(join(folder, 'offhook-token'), `${token}\n`)
  const config = await readFile(join(ours, 'prometheus.yml'), 'utf8')
  const ofTest = config.replace('127.0.0.1:8080', target).replaceAll('interval: 15s', 'interval: 1s')
  await writeFile(join(folder, 'prometheus.yml'), alertmanager === undefined ? ofTest : ofTest.replace('127.0.0.1:9093', alertmanager))
  const address = `127.0.0.1:${await freePorts(t, 1)}`
  const options = { 'config.file': 'prometheus.yml', 'storage.tsdb.path': 'data', 'web.listen-address': address, 'log.level': 'warn' }
  const peer = startPeer(
    t,
    'prometheus',
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    folder,
  )
  endBeforeRemoval(folder, () => peer.stop())
  const url = `http://${address}`
  await isReady(peer, url)
  const ask = async <T>(path: string, parameters: Record<string, string> = {}): Promise<T> => {
    const body = new URLSearchParams(parameters).toString()
    const reply = await fetch(`${url}/api/v1/${path}${body === '' ? '' : `?${body}`}`)
    const { status, data, error } = (await reply.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`${path} ${body}: ${error}`)
    return data
  }
  const query = async (expr: string): Promise<Series[]> => (await ask<{ result: Series[] }>('query', { query: expr })).result
  return {
    url,
    folder,
    ask,
    query,
    until: (expr, wanted) =>
      until(expr, async () => {
        const [series, ...more] = await query(expr)
        const value = Number(series?.value[1])
        return series && more.length === 0 && wanted(value) ? { value } : undefined
      }).then(({ value }) => value),
  }
}

const isReady = (peer: PeerProcess, url: string): Promise<unknown> =>
  until(url, async () => {
    if (!peer.running()) throw new Error(peer.output())
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  })

/** Alertmanager with the routes of `deploy/prometheus`, without their delays; `receiver`: host:port of the receiver. Returns its address. */
export const startAlertmanager = async (t: Scope, receiver: string): Promise<string> => {
  const folder = await temporaryFolder(t)
  const config = await readFile(join(ourRoot, 'deploy/prometheus/alertmanager.yml'), 'utf8')
  await writeFile(
    join(folder, 'alertmanager.yml'),
    config.replaceAll('127.0.0.1:9095', receiver).replace('group_wait: 30s', 'group_wait: 1s'),
  )
  const address = `127.0.0.1:${await freePorts(t, 1)}`
  const options = { 'config.file': 'alertmanager.yml', 'storage.path': 'data', 'web.listen-address': address, 'cluster.listen-address': '' }
  const peer = startPeer(
    t,
    'prometheus-alertmanager',
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    folder,
  )
  endBeforeRemoval(folder, () => peer.stop())
  await isReady(peer, `http://${address}`)
  return address
}
