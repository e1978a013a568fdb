import type { Socket } from 'node:net'
import Fastify, { LogController, type FastifyInstance, type onRequestHookHandler } from 'fastify'

import { identifyCarrier } from '#core/account/portings/identify-carrier.ts'
import { evenly } from '#core/kernel/ports/clock.ts'
import { installBodyParsers } from './mount/body.ts'
import { mountOptinPages } from './carrier/optin-page.ts'
import { limitConnections, type ConnectionLimits } from './limits/connections.ts'
import { mountConsole } from './pages/console.ts'
import { fastifyLog } from './mount/fastify-log.ts'
import { allowOtherSites } from './gate/cors.ts'
import { countRequests } from './mount/count-requests.ts'
import { mountDemoAssistant } from './demo/assistant.ts'
import { mountDocs } from './docs/mount-docs.ts'
import { installErrors, sendFrameworkProblem, sendParserProblem } from './reply/errors.ts'
import { mountMetrics } from './pages/metrics-page.ts'
import { Gate } from './gate/gate.ts'
import { mountSmsGateway } from './gateway/sms-gateway.ts'
import { IdempotentReplies } from './mount/idempotency.ts'
import { KnownMethods } from './reply/known-methods.ts'
import { mountMcp } from './mcp/mount-mcp.ts'
import { mountOauth } from './oauth/mount-oauth.ts'
import { mountPages } from './pages/pages.ts'
import type { HandlerDeps } from './handler/handler-parts.ts'
import { RateLimit, type ShareRate } from './limits/rate-limit.ts'
import { mountAll } from './routes.ts'
import { sameAddress } from './gate/same-address.ts'
import { EventStreams } from './reply/send-events.ts'
import { mountListenUpgrade } from './v3/listen.ts'
import { mountPhoneSoundUpgrade } from './v3/phone-sound-upgrade.ts'
import { mountPhoneUpgrade } from './v3/phone-upgrade.ts'
import { mountTalkUpgrade } from './v3/talk-upgrade.ts'
import { mountSoftphoneProvisioning } from './pages/softphone-provisioning.ts'
import { Upgrades } from './gate/upgrades.ts'

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
  /** Of this program, as clients of MCP are told it. */
  version?: string
  /** Also be the demo flow's endpoint. */
  demo?: boolean
  /** Sites whose pages may call the interface; `*` for any. */
  cors?: readonly string[]
  limits?: Partial<ServerLimits>
  /** Counts requests together with the other processes. */
  shareRate?: (kind: string, spend: (key: string, tokens: number) => void) => ReturnType<ShareRate>
}

/** Against clients that are slow or many, by accident or on purpose. Times in milliseconds. */
export interface ServerLimits extends ConnectionLimits {
  headersMs: number
  requestMs: number
  /** Of a connection on which nothing moves: a reply that is not read must not be kept for ever. */
  silenceMs: number
  /** How long requests that are under way may go on when the service ends. */
  closingMs: number
}

const defaultLimits: ServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 120_000,
  closingMs: 5_000,
  total: 1_000,
  perAddress: 200,
}

/** The rate limit of an account is that of this many tokens. */
const tokensOfAccount = 4

const notUsed = (): never => {
  throw new Error('routes have no schemas of their own; the contract checks what comes in')
}

const year = 365 * 24 * 60 * 60

/** The last one is set below Fastify, so that replies of the identity provider carry it, too. */
const sendUsualHeaders =
  ({ installation }: Pick<HandlerDeps, 'installation'>): onRequestHookHandler =>
  (_request, reply, done) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    if (installation.publicUrl().startsWith('https:')) reply.raw.setHeader('strict-transport-security', `max-age=${year}`)
    done()
  }

/** The HTTP side of the service, not yet listening. */
export const buildServer = (deps: HandlerDeps, options: ServerOptions): FastifyInstance => {
  const { rateLimit, trustProxy, version = '0', demo, metricsToken, limits, cors = [], shareRate } = options
  const share = (kind: string): ShareRate | undefined => shareRate && ((spend) => shareRate(kind, spend))
  const { headersMs, requestMs, silenceMs, closingMs, total, perAddress } = { ...defaultLimits, ...limits }
  const rates = new RateLimit(evenly(deps.clock), rateLimit, share('requests'))
  const upgrades = new Upgrades({ clock: deps.wallClock, rateLimit: rates, trustProxy, log: deps.log })
  const app = Fastify({
    loggerInstance: fastifyLog(deps.log),
    // Addresses hold phone numbers and reset links; what failed is logged by the error handler.
    logController: new LogController({ disableRequestLogging: true }),
    // One proxy: the entry it added itself. What stands before that entry was written by the client.
    trustProxy: trustProxy && ((_address, hop) => hop === 0),
    connectionTimeout: silenceMs,
    requestTimeout: requestMs,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: headersMs / 2,
      shouldUpgradeCallback: (request) => upgrades.wants(request),
    },
    forceCloseConnections: 'idle',
    clientErrorHandler: sendParserProblem,
    frameworkErrors: sendFrameworkProblem,
    // The contract validates: Fastify's own compilers would be loaded at every start and never used.
    schemaController: { compilersFactory: { buildValidator: notUsed, buildSerializer: notUsed } },
    routerOptions: { maxParamLength: 500 },
  })
  prepareRequests(app, deps, cors)
  // Behind a proxy all connections come from its address.
  limitConnections(app.server, { total, perAddress: trustProxy ? total : perAddress })
  endConnectionsWithin(app, closingMs)
  upgrades.serve(app.server)
  app.decorate('upgrades', upgrades)
  app.addHook('preClose', () => upgrades.close())
  countRequests(app, deps.measurements)
  installBodyParsers(app)
  installErrors(app, deps.log, new KnownMethods(app))
  const { store, clock, authenticator } = deps
  const gate = new Gate({
    store,
    clock,
    authenticator,
    rateLimit: rates,
    accountLimit: new RateLimit(evenly(deps.clock), rateLimit * tokensOfAccount, share('accounts')),
    identifyCarrier: (headers, body) => identifyCarrier({ ...deps, clock: deps.wallClock }, headers, body),
    identifyAddressee: (url) => (url.startsWith('/v2/faxes/') ? deps.faxLinks : deps.recordingLinks).identify(url),
  })
  gate.guardPages(app)
  mountAll({ app, gate, idempotent: new IdempotentReplies(store, clock), streams: new EventStreams(app, deps.wallClock) }, deps)
  mountListenUpgrade(upgrades, gate, deps)
  mountPhoneUpgrade(upgrades, deps)
  mountPhoneSoundUpgrade(upgrades, deps)
  mountTalkUpgrade(upgrades, deps)
  mountOauth(app, deps, gate)
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

/** What every request gets, whatever it asks for. */
const prepareRequests = (app: FastifyInstance, deps: HandlerDeps, cors: readonly string[]): void => {
  // Before anything reads it: routes, signatures, idempotency keys and the identity provider have to see the same address.
  app.server.prependListener('request', (request) => (request.url = sameAddress(request.url ?? '')))
  app.decorateRequest('caller', undefined)
  app.decorateRequest('rawBody', '')
  app.addHook('onRequest', sendUsualHeaders(deps))
  allowOtherSites(app, cors)
}

/**
 * Requests that are under way are answered; their connections would stay open for others, so each is ended when it has nothing to do. One
 * that was opened in advance and never used counts as busy for Node.
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
