import { hasPoppler } from '#adapters/fax/poppler.ts'
import { hasProc } from '#adapters/fax/process-use.ts'
import { systemName } from '#adapters/machine/system.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import { missingSpandsp } from '#media/fax/spandsp.ts'
import { availableUdp } from '#media/control/media.ts'
import type { UdpKind } from '#media/socket/socket.ts'
import type { Settings } from '#settings/config.ts'

/** What this machine has, and so which way everything is done that can be done in several ways. */
export interface Machine {
  system: string
  /** How audio leaves it. */
  audio: UdpKind
  /** What makes pages of documents. */
  paper: 'poppler' | 'pdf.js'
  /** Why there are no faxes. */
  withoutFax: string | undefined
  /** Why no speech model can run. */
  withoutModels: string | undefined
  /** How programs are watched that read documents of strangers. */
  watching: '/proc' | 'ps'
}

type Choices = Pick<Settings, 'OFFHOOK_PORTABLE' | 'OFFHOOK_MEDIA_UDP'>

export const portableWithoutFax = 'OFFHOOK_PORTABLE is on'

/**
 * Looked at once, when the service starts. By what is there, not by the name of the system: a Linux without these libraries is served like a Mac.
 * OFFHOOK_PORTABLE hides what is there.
 */
export const lookAtMachine = async ({ OFFHOOK_PORTABLE: portable, OFFHOOK_MEDIA_UDP: udp }: Choices): Promise<Machine> => ({
  system: systemName(),
  audio: portable || udp === 'dgram' ? 'dgram' : availableUdp(),
  paper: !portable && (await hasPoppler()) ? 'poppler' : 'pdf.js',
  withoutFax: portable ? portableWithoutFax : missingSpandsp(),
  withoutModels: missingSpeechRuntime(),
  watching: !portable && hasProc() ? '/proc' : 'ps',
})
