import type { FaxT38Settings } from '#media/fax/engine.ts'
import type { Attribute, Media } from '@offhook/sip/sdp/sdp.ts'

/** What the far end says about T.38 over UDPTL (T.38 annex D), as far as it changes what we do. */
export type T38Terms = Required<Pick<FaxT38Settings, 'maxBitRate' | 'maxDatagram' | 'rateManagement' | 'errorRecovery'>>

const bestBitRate = 14_400
const defaultDatagram = 400
/** Gateways that say less mean the packet inside of UDPTL, and take the usual size. */
const minDatagram = 100
const maxDatagramBytes = 1_400
/** What we take. */
const ourDatagram = 512

/** Names and values come in all spellings. */
export const readT38 = ({ attributes }: Pick<Media, 'attributes'>): T38Terms => {
  const said = new Map(attributes.map(({ name, value }) => [name.toLowerCase(), value?.trim().toLowerCase()]))
  const number = (name: string): number => Number(said.get(name) ?? NaN)
  const bitRate = number('t38maxbitrate')
  const datagram = number('t38faxmaxdatagram')
  return {
    maxBitRate: bitRate >= 2_400 ? Math.min(bitRate, bestBitRate) : bestBitRate,
    maxDatagram: datagram >= minDatagram ? Math.min(datagram, maxDatagramBytes) : defaultDatagram,
    rateManagement: said.get('t38faxratemanagement') === 'localtcf' ? 'localTCF' : 'transferredTCF',
    errorRecovery: said.get('t38faxudpec') === 't38udpnoec' ? 'none' : 'redundancy',
  }
}

/** What we say: to what they said, or first. */
export const t38Attributes = (theirs?: T38Terms): Attribute[] => {
  const said = {
    T38FaxVersion: 0,
    T38MaxBitRate: theirs?.maxBitRate ?? bestBitRate,
    T38FaxRateManagement: theirs?.rateManagement ?? 'transferredTCF',
    T38FaxMaxBuffer: 1_800,
    T38FaxMaxDatagram: ourDatagram,
    T38FaxUdpEC: theirs?.errorRecovery === 'none' ? 't38UDPNoEC' : 't38UDPRedundancy',
  }
  return Object.entries(said).map(([name, value]) => ({ name, value: String(value) }))
}
