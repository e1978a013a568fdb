import type { S3Options } from '#adapters/blobs/s3-wire.ts'
import { realClock } from '#adapters/clock/real-clock.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'

/** Undefined: files stay in the data folder. */
export const s3Options = (settings: Settings): S3Options | undefined => {
  const { OFFHOOK_FILES: place, OFFHOOK_S3_KEY: key, OFFHOOK_S3_SECRET: secret, OFFHOOK_S3_SSE: encryption } = settings
  if (!place) return undefined
  const region = settings.OFFHOOK_S3_REGION
  if (key === undefined || secret === undefined)
    throw new CannotStart('OFFHOOK_FILES names a store: it needs OFFHOOK_S3_KEY and OFFHOOK_S3_SECRET.', undefined)
  const url = settings.OFFHOOK_S3_URL ?? `https://s3.${region}.amazonaws.com`
  return { ...place, url, region, key, secret, encryption, clock: realClock(), style: styleOf(settings.OFFHOOK_S3_STYLE, url) }
}

/** Names with dots have no certificate of Amazon's. */
const styleOf = (style: Settings['OFFHOOK_S3_STYLE'], url: string): S3Options['style'] => {
  if (style !== 'auto') return style
  return new URL(url).hostname.endsWith('.amazonaws.com') ? 'host' : 'path'
}
