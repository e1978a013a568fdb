import { hasPoppler } from '#adapters/fax/poppler.ts'
import { hasProc } from '#adapters/fax/process-use.ts'
import { systemName } from '#adapters/machine/system.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import { missingSpandsp } from '#media/fax/spandsp.ts'
import { availableUdp } from '#media/control/media.ts'
import type { UdpKind } from '#media/socket/socket.ts'
import type { Settings } from '#settings/config.ts'

/** Capabilities of this machine, which decide between alternative implementations. */
export interface Machine {
  system: string
  /** Implementation that sends audio. */
  audio: UdpKind
  /** Renderer of document pages. */
  paper: 'poppler' | 'pdf.js'
  /** Reason why faxes are unavailable. */
  withoutFax: string | undefined
  /** Reason why speech models are unavailable. */
  withoutModels: string | undefined
  /** Resource monitoring of programs that parse third-party documents. */
  watching: '/proc' | 'ps'
}

type Choices = Pick<Settings, 'OFFHOOK_PORTABLE' | 'OFFHOOK_MEDIA_UDP'>

export const portableWithoutFax = 'OFFHOOK_PORTABLE is on'

/**
 * Determined once at the start. By features, not by the name of the system: a Linux without these libraries is treated like a Mac.
 * OFFHOOK_PORTABLE hides optional features.
 */
export const lookAtMachine = async ({ OFFHOOK_PORTABLE: portable, OFFHOOK_MEDIA_UDP: udp }: Choices): Promise<Machine> => ({
  system: systemName(),
  audio: portable || udp === 'dgram' ? 'dgram' : availableUdp(),
  paper: !portable && (await hasPoppler()) ? 'poppler' : 'pdf.js',
  withoutFax: portable ? portableWithoutFax : missingSpandsp(),
  withoutModels: missingSpeechRuntime(),
  watching: !portable && hasProc() ? '/proc' : 'ps',
})
