import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Nullable, OneOf, Output } from '../values.ts'
import { NewSecret, WebhookSecret } from '../webhook-secret.ts'
import { recordingRuleOperations } from './settings/recording-rule.ts'
import { retentionOperations } from './settings/retention.ts'

const whitelistAbout = 'Phone lines (p) and groups (g) whose calls are told; null means all'
const PushUrl = Type.String({ maxLength: 2048, description: 'Absolute http or https address; empty for none' })

const pushFormat = OneOf(['form', 'json'], { description: 'How the body is written; json for libraries of Standard Webhooks' })

const shared = { auth: 'user', bearer: true, permission: 'CAN_USE_PUSH_API', errors: ['feature_not_booked'] } as const

export const settingsOperations = {
  ...recordingRuleOperations,
  ...retentionOperations,
  getSvcio: operation({
    id: 'getSvcio',
    method: 'GET',
    path: '/v1/settings/svcio',
    summary: 'Where calls of the account are told to; the addresses may hold a password',
    ...shared,
    credentials: true,
    scopes: ['settings:read', 'settings:svcio:read'],
    status: 200,
    reply: Output({
      incomingUrl: Type.String(),
      outgoingUrl: Type.String(),
      log: Type.Boolean({ description: 'Requests and answers are kept for a look' }),
      whitelist: Nullable(Type.Array(Type.String(), { description: whitelistAbout })),
      format: pushFormat,
    }),
  }),
  setSvcio: operation({
    id: 'setSvcio',
    method: 'PUT',
    path: '/v1/settings/svcio',
    summary: 'Set where calls of the account are told to; log, whitelist and format stay as they are when left out',
    ...shared,
    scopes: ['settings:write', 'settings:svcio:write'],
    body: Input({
      incomingUrl: PushUrl,
      outgoingUrl: PushUrl,
      log: Type.Optional(Type.Boolean()),
      whitelist: Type.Optional(Nullable(Type.Array(Type.String({ maxLength: 12 }), { maxItems: 1000, description: whitelistAbout }))),
      format: Type.Optional(pushFormat),
    }),
    status: 204,
  }),
  listSvcioSecrets: operation({
    id: 'listSvcioSecrets',
    method: 'GET',
    path: '/v1/settings/svcio/secrets',
    summary: 'The secrets that sign what is told about calls, the newest first; not the secrets themselves',
    ...shared,
    scopes: ['settings:read', 'settings:svcio:read'],
    status: 200,
    reply: Items(WebhookSecret),
  }),
  createSvcioSecret: operation({
    id: 'createSvcioSecret',
    credentials: true,
    method: 'POST',
    path: '/v1/settings/svcio/secrets',
    summary: 'A new secret; older ones go on signing beside it for 24 hours',
    ...shared,
    scopes: ['settings:write', 'settings:svcio:write'],
    status: 201,
    reply: Output({ ...WebhookSecret.properties, secret: NewSecret }),
  }),
  deleteSvcioSecret: operation({
    id: 'deleteSvcioSecret',
    method: 'DELETE',
    path: '/v1/settings/svcio/secrets/{secretId}',
    summary: 'A secret signs no more from now on; without any, only the installation’s key does',
    ...shared,
    scopes: ['settings:write', 'settings:svcio:write'],
    status: 204,
    errors: [...shared.errors, 'secret_not_found'],
  }),
  getSvcioPublicKey: operation({
    id: 'getSvcioPublicKey',
    method: 'GET',
    path: '/v1/settings/svcio/publickey',
    summary: 'The key that proves the header X-Svc-Signature of what is told about calls',
    auth: 'public',
    bearer: false,
    status: 200,
    reply: Output({ publicKey: Type.String({ description: 'RSA, in PEM; the signature is RSA-SHA256 (PKCS #1 v1.5) over the body' }) }),
  }),
}
