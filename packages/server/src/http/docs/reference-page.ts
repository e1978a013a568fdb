import Fastify from 'fastify'
import { packedOnce } from './packed-once.ts'

/** Our own scripts only and nothing from elsewhere. Scalar writes styles into elements, which no nonce can allow. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Offhook: interface</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/api/scalar.js"></script>
    <script src="/docs/api/start.js"></script>
  </body>
</html>
`

/** Everything off that would send requests to third parties: fonts, proxy, telemetry, assistants. */
const configuration = {
  url: '/docs/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  hideModels: true,
  authentication: { preferredSecurityScheme: 'bearer' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  metaData: { title: 'Offhook: interface' },
}

export const startScript = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)})\n`

/** Scalar's own script, which its package hands out only over a route. Four megabytes. */
export const scalarScript = packedOnce(async () => {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = Fastify()
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } })
  const { body } = await app.inject('/reference/js/scalar.js')
  await app.close()
  return body
})
