import type { Socket } from 'node:net'
import Fastify, {
  LogController,
  type FastifyInstance,
  type onRequestHookHandler,
  type onResponseHookHandler,
  type FastifyBaseLogger,
} from 'fastify'
import { identifyCarrier } from '#core/account/portings/identify-carrier.ts'
import { evenly } from '#core/kernel/ports/platform.ts'
import { installBodyParsers } from './mount/body.ts'
import { mountOptinPages } from './carrier/optin-page.ts'
import { Admission, usualHeavyLimits, type HeavyLimits } from './limits/admission.ts'
import { LoopTurns } from './limits/admission.ts'
import { limitConnections, noRoom, type ConnectionLimits } from './limits/connections.ts'
import { mountConsole } from './pages/console.ts'
import { allowOtherSites } from './gate/cors.ts'
import { mountDemoAssistant } from './demo/assistant.ts'
import { mountDocs } from './docs/mount-docs.ts'
import { installErrors, sendFrameworkProblem, sendParserProblem } from './reply/errors.ts'
import { KnownMethods } from './reply/errors.ts'
import { mountMetrics } from './pages/metrics-page.ts'
import { Gate, type GateDeps } from './gate/gate.ts'
import { mountSmsGateway } from './gateway/sms-gateway.ts'
import { IdempotentReplies } from './mount/idempotency.ts'
import { mountMcp } from './mcp/mount-mcp.ts'
import { mountScim } from './scim/mount-scim.ts'
import { mountOauth } from './oauth/mount-oauth.ts'
import type { HandlerDeps } from './handler/handler-deps.ts'
import { RateLimit, type ShareRate } from './limits/rate-limit.ts'
import { mountAll } from './routes.ts'
import { todaysAddress } from './mount/older-clients.ts'
import { sameAddress } from './gate/upgrades.ts'
import { Upgrades } from './gate/upgrades.ts'
import { EventStreams } from './reply/send-events.ts'
import { mountListenUpgrade } from './v3/listen.ts'
import { mountPhoneSoundUpgrade } from './v3/phone-sound-upgrade.ts'
import { mountPhoneUpgrade } from './v3/phone-upgrade.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { linphoneSettings } from '#core/account/devices/linphone-settings.ts'
import { requireOurPage } from './gate/our-page.ts'
import { carryTalk } from './v3/talk-socket.ts'
import type { Log, LogEventCode } from '#log/log-events.ts'

declare module 'fastify' {
  interface FastifyInstance {
    upgrades: Upgrades
  }
}

export interface ServerOptions {
  rateLimit: number
  trustProxy: boolean
  /** Bearer token for the metrics of this process. */
  metricsToken?: string | undefined
  /** Version of this program, for MCP clients. */
  version?: string
  /** Whether to serve the demo flow's endpoint. */
  demo?: boolean
  /** Sites whose pages may call the API; `*` for any. */
  cors?: readonly string[]
  limits?: Partial<ServerLimits>
  /** Counts requests together with peer nodes. */
  shareRate?: (kind: string, spend: (key: string, tokens: number) => void) => ReturnType<ShareRate>
}

/** Limits against slow or many clients, by accident or on purpose. Times in milliseconds. */
export interface ServerLimits extends ConnectionLimits, HeavyLimits {
  headersMs: number
  requestMs: number
  /** Idle timeout of a connection: an unread reply must not be kept for ever. */
  silenceMs: number
  /** Time for running requests at shutdown. */
  closingMs: number
}

const defaultLimits: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 120_000,
  closingMs: 5_000,
  total: 1_000,
  perAddress: 200,
  ...usualHeavyLimits,
}

/** Rate limit of an account, in multiples of a token's. */
const tokensOfAccount = 4

const notUsed = (): never => {
  throw new Error('routes have no schemas of their own; the contract checks what comes in')
}

const year = 365 * 24 * 60 * 60

/** Sets HSTS on the raw response, so that replies of the identity provider carry it, too. */
const sendUsualHeaders =
  ({ installation }: Pick<HandlerDeps, 'installation'>): onRequestHookHandler =>
  (_request, reply, done) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    if (installation.publicUrl().startsWith('https:')) reply.raw.setHeader('strict-transport-security', `max-age=${year}`)
    done()
  }

/** Builds the HTTP server, not yet listening. */
export const buildServer = (deps: HandlerDeps, options: ServerOptions): FastifyInstance => {
  const { rateLimit, trustProxy, version = '0', demo, metricsToken, limits, cors = [], shareRate } = options
  const share = (kind: string): ShareRate | undefined => shareRate && ((spend) => shareRate(kind, spend))
  const { headersMs, requestMs, silenceMs, closingMs, total, perAddress, ...heavy } = { ...defaultLimits, ...limits }
  const turns = new LoopTurns()
  const rates = new RateLimit(evenly(deps.clock), rateLimit, { share: share('requests') })
  const upgrades = new Upgrades({ clock: deps.wallClock, rateLimit: rates, trustProxy, log: deps.log })
  const rejected = new WeakSet<Socket>()
  const app = Fastify({
    loggerInstance: fastifyLog(deps.log),
    // Addresses contain phone numbers and reset links; the error handler logs failures.
    logController: new LogController({ disableRequestLogging: true }),
    // One proxy: only the entry it added itself. Entries before it were written by the client.
    trustProxy: trustProxy && ((_address, hop) => hop === 0),
    connectionTimeout: silenceMs,
    requestTimeout: requestMs,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: headersMs / 2,
      shouldUpgradeCallback: (request) => !rejected.has(request.socket) && upgrades.wants(request),
    },
    forceCloseConnections: 'idle',
    clientErrorHandler: sendParserProblem,
    frameworkErrors: sendFrameworkProblem,
    // The contract validates: Fastify's own compilers would be loaded at every start and never used.
    schemaController: { compilersFactory: { buildValidator: notUsed, buildSerializer: notUsed } },
    routerOptions: { maxParamLength: 500 },
  })
  prepareRequests(app, deps, cors)
  app.addHook('onRequest', ({ raw }, reply, done) => (rejected.has(raw.socket) ? done(noRoom(reply)) : done()))
  // Behind a proxy all connections come from its address.
  limitConnections(app.server, { total, perAddress: trustProxy ? total : perAddress }, rejected)
  endConnectionsWithin(app, closingMs)
  upgrades.serve(app.server)
  app.decorate('upgrades', upgrades)
  app.addHook('preClose', () => upgrades.close())
  countRequests(app, deps.measurements)
  installBodyParsers(app, turns)
  installErrors(app, deps.log, new KnownMethods(app))
  const accounts = new RateLimit(evenly(deps.clock), rateLimit * tokensOfAccount, { name: 'account', share: share('accounts') })
  const gate = openGate(deps, { rateLimit: rates, accountLimit: accounts, admission: new Admission(turns, heavy) })
  gate.guardPages(app)
  mountAll({ app, gate, idempotent: new IdempotentReplies(deps), streams: new EventStreams(app, deps.wallClock), turns }, deps)
  mountUpgrades(upgrades, gate, deps)
  mountOauth(app, deps, gate)
  mountScim(app, deps)
  mountMcp(app, deps, { version, origins: cors })
  mountPages(app, deps)
  mountDocs(app)
  mountConsole(app)
  mountMetrics(app, { metrics: deps.metrics, token: metricsToken })
  mountOptinPages(app, deps)
  mountSoftphoneProvisioning(app, deps)
  mountSmsGateway(app, deps.smsGateway)
  if (demo) mountDemoAssistant(app)
  return app
}

const openGate = (deps: HandlerDeps, limits: Pick<GateDeps, 'rateLimit' | 'accountLimit' | 'admission'>): Gate =>
  new Gate({
    store: deps.store,
    clock: deps.clock,
    authenticator: deps.authenticator,
    ...limits,
    identifyCarrier: (headers, body) => identifyCarrier({ ...deps, clock: deps.wallClock }, headers, body),
    identifyAddressee: (url) => (url.startsWith('/v2/faxes/') ? deps.faxLinks : deps.recordingLinks).identify(url),
  })

/** Hooks for every request. */
const prepareRequests = (app: FastifyInstance, deps: HandlerDeps, cors: readonly string[]): void => {
  // First of all: routes, signatures, idempotency keys and the identity provider must see the same address.
  app.server.prependListener('request', (request) => (request.url = todaysAddress(sameAddress(request.url ?? ''))))
  app.decorateRequest('caller', undefined)
  app.decorateRequest('rawBody', '')
  app.addHook('onRequest', sendUsualHeaders(deps))
  allowOtherSites(app, cors)
}

/**
 * Answers running requests; their connections would stay open for further ones, so each is closed when idle. Node counts
 * a connection that was never used as busy.
 */
const endConnectionsWithin = (app: FastifyInstance, ms: number): void => {
  let timer: NodeJS.Timeout | undefined
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', (done) => {
    const until = performance.now() + ms
    const endIdle = (): void => {
      app.server.closeIdleConnections()
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    }
    timer = setInterval(() => (performance.now() < until ? endIdle() : app.server.closeAllConnections()), Math.min(ms, 20))
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    done()
  })
}

const mountUpgrades = (upgrades: Upgrades, gate: Gate, deps: HandlerDeps): void => {
  mountListenUpgrade(upgrades, gate, deps)
  mountPhoneUpgrade(upgrades, deps)
  mountPhoneSoundUpgrade(upgrades, deps)
  mountTalkUpgrade(upgrades, deps)
}

/** API operations only; event streams are excluded, because they last as long as the client listens. Call before the first route. */
const countRequests = (app: FastifyInstance, measurements: Measurements): void => {
  const count: onResponseHookHandler = (_request, reply, done) => {
    const streams = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
    if (!streams) measurements.requested(reply.elapsedTime, reply.statusCode)
    done()
  }
  // Read once per route: Fastify builds an object of all route options for every request that asks.
  app.addHook('onRoute', (route) => {
    if (route.config?.operation !== undefined) route.onResponse = count
  })
}

type ProvisioningDeps = Pick<HandlerDeps, 'softphoneLinks' | 'vault' | 'installation'>

/** For softphones that scanned a QR code: they have no token, only its signed address. */
const mountSoftphoneProvisioning = (app: FastifyInstance, { softphoneLinks, vault, installation }: ProvisioningDeps): void => {
  app.get('/softphone/:deviceId/:mark', async (request, reply) => {
    const { alias, sip } = await softphoneLinks.open(request.url)
    if (!sip) throw new Problem('softphone_link_invalid')
    const { host, port } = installation.sip
    const login = { alias, username: sip.username, password: vault.open(sip.passwordSealed), host, port }
    return reply.header('cache-control', 'no-store').type('application/xml; charset=utf-8').send(linphoneSettings(login))
  })
}

/** Longer texts are not accepted as a turn of the caller. */
const maxBytes = 16 * 1024

/** WebSocket on which browsers and programs call flows. */
const mountTalkUpgrade = (
  upgrades: Upgrades,
  { talks, installation, wallClock }: Pick<HandlerDeps, 'talks' | 'installation' | 'wallClock'>,
): void =>
  upgrades.add({
    path: '/v3/ai-flows/{aiFlowId}/talks/{talkId}/{means}',
    maxBytes,
    async enter({ request, params: { aiFlowId = '', talkId = '', means = '' }, accept }) {
      requireOurPage(request, installation.publicUrl())
      const ticket = await talks.redeem(request.url ?? '', { flowId: aiFlowId, talkId, means })
      const client = await accept().catch((error: unknown) => {
        ticket.leave()
        throw error
      })
      carryTalk(client, { talks, ticket, clock: wallClock })
    },
  })

type Write = FastifyBaseLogger['info']

const ignore: Write = () => {}

/** Fastify's own log lines. Drops requests and replies among their fields: addresses contain phone numbers and reset links. */
const fastifyLog = (log: Log): FastifyBaseLogger => {
  const write =
    (event: LogEventCode): Write =>
    (about: unknown, text?: string): void => {
      const detail = typeof about === 'string' ? about : text
      const err = about instanceof Error ? about : (about as { err?: unknown } | undefined)?.err
      log(event, { ...(detail !== undefined && { detail }), ...(err !== undefined && { err }) })
    }
  const logger: FastifyBaseLogger = {
    level: 'info',
    silent: ignore,
    trace: ignore,
    debug: ignore,
    info: write('http_server_notice'),
    warn: write('http_server_warning'),
    error: write('http_server_fault'),
    fatal: write('http_server_fault'),
    child: () => logger, // log lines name their operation; a logger per request would cost every request
  }
  return logger
}

const busNeverReached = 'This process has not reached the bus since its start. Check OFFHOOK_BUS, its login and its certificate.'

type PageParts = Pick<HandlerDeps, 'store' | 'presence'> & { storage: { readonly full: boolean } }

/** Pages outside the API, the identity provider and portings, and the health checks. */
export const mountPages = (app: FastifyInstance, { store, storage, presence }: PageParts): void => {
  // Browsers request it for every page without an icon; there is none.
  app.get('/favicon.ico', (_request, reply) => reply.header('cache-control', 'public, max-age=86400').code(204).send())

  const databaseAnswers = (): Promise<boolean> =>
    store.reach?.answers() ??
    store.read.settings.get('first_run').then(
      () => true,
      () => false,
    )

  /** Liveness: whether the process may continue to run. An unavailable database is not a reason to end it: its calls continue. `instance` distinguishes it from another service that took its address. */
  app.get('/health', async () => ({ status: 'ok', instance: presence.id }))

  /** Readiness: whether it may get new requests. Not while drained, although its calls continue. */
  app.get('/ready', async () => {
    if (!presence.isReady) throw new Problem('unavailable', 'This process takes no new calls: it is starting, stopping or being drained.')
    if (!presence.hasReachedBus) throw new Problem('unavailable', busNeverReached, { retryAfter: 5 })
    if (storage.full) throw new Problem('unavailable', 'This process accepts nothing new: the disk of the database is full.')
    if (!(await databaseAnswers())) throw new Problem('unavailable', 'The database is not answering.', { retryAfter: 5 })
    return { status: 'ready', bus: presence.bus }
  })
}
