/** A payload type of an `m=audio` line. */
export interface RtpFormat {
  payloadType: number
  /** As in `a=rtpmap`, such as `opus/48000/2`. */
  encoding: string
  /** As in `a=fmtp`. */
  parameters?: string
}

export type SdpDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

export interface PeerSettings {
  formats: RtpFormat[]
  direction: SdpDirection
  /** MediaStream.localPort of the connection's stream. */
  streamPort: number
  /** For an offer to a far end of another process: the mid of its line. */
  mid?: string
}

/** Start data of the gateway process. */
export interface GatewaySettings {
  /** Address of the streams. */
  relayAddress: string
  /** Address for browsers; default: every interface. */
  bindAddress?: string
  ports?: { first: number; last: number }
  /** Public address, behind a router that maps every port to the same one. */
  publicAddress?: string
}

export type GatewayCommand =
  | { do: 'answer'; ask: number; peer: number; settings: PeerSettings; offer: string }
  | { do: 'offer'; ask: number; peer: number; settings: PeerSettings }
  | { do: 'accept'; ask: number; peer: number; answer: string }
  | { do: 'close'; peer: number }

export type GatewayEvent =
  | { tell: 'answer'; ask: number; sdp: string; relayPort: number }
  | { tell: 'refused'; ask: number; why: string }
  | { tell: 'connected' | 'ended'; peer: number }
  | { tell: 'ready' }
  | { tell: 'unavailable'; why: string }

const directionLine = /^a=(?:sendrecv|sendonly|recvonly|inactive)[ \t]*\r?$/gm

const audioOf = (sdp: string): string | undefined => sdp.split(/^(?=m=)/m).find((section) => section.startsWith('m=audio'))

/** The audio section, if it has everything for ICE and DTLS; otherwise throws the missing part. */
export const audioSection = (sdp: string): string => {
  const audio = audioOf(sdp)
  if (audio === undefined) throw new Error('no audio is offered')
  for (const needed of ['ice-ufrag', 'ice-pwd', 'fingerprint']) {
    if (!sdp.includes(`a=${needed}:`)) throw new Error(`a=${needed} is missing`)
  }
  return audio
}

export const midOf = (audio: string): string => /^a=mid:(.*)$/m.exec(audio)?.[1]?.trim() ?? '0'

/** Changes with every ICE restart. */
export const ufragOf = (sdp: string): string | undefined => /^a=ice-ufrag:(.*)$/m.exec(sdp)?.[1]?.trim()

export const withDirection = (sdp: string, direction: SdpDirection): string => sdp.replace(directionLine, `a=${direction}\r`)

/** Browsers hide their address behind an mDNS name that only their own network can resolve; they find us without it. */
export const withoutNames = (sdp: string): string => sdp.replace(/^a=candidate:(?:\S+ ){4}\S+\.local .*\r?\n/gm, '')

/** Removes candidates that `mayReach` rejects: no connectivity check is sent there. An existing peer finds us and is answered. */
export const withoutCandidates = (sdp: string, mayReach: (address: string, port: number) => boolean): string =>
  sdp.replace(/^a=candidate:(?:\S+ ){4}(\S+) (\d+)\b.*\r?\n/gm, (line, address: string, port: string) =>
    mayReach(address, Number(port)) ? line : '',
  )

/** Behind a router: adds the same candidates with the public address. */
export const withPublicAddress = (sdp: string, address: string): string =>
  sdp.replace(
    /^(a=candidate:)(\S+ \d+ UDP) (\d+) (\S+) (\d+) typ host\r?\n/gim,
    (line, name: string, kind: string, priority: string, local: string, port: string) => {
      const isPrivate = !local.includes(':') && !local.startsWith('127.')
      return isPrivate ? `${line}${name}9${kind} ${Number(priority) - 1} ${address} ${port} typ host\r\n` : line
    },
  )

/** The form of a far end's SDP, without connection-specific parts: for `inTermsOf` in another process. */
export const termsOf = (sdp: string): string =>
  (sdp.match(/^(?:m=audio |a=(?:mid|rtcp-mux|group|msid-semantic|ice-options)\b).*\r?\n/gm) ?? []).join('')

/** Rewrites a description in the far end's form: the library only writes the browsers' form, even to phones. */
export const inTermsOf = (answer: string, offer: string): string => {
  const audio = audioOf(offer) ?? ''
  const profile = /^m=audio \d+ (\S+)/.exec(audio)?.[1] ?? 'UDP/TLS/RTP/SAVPF'
  const fitting = answer.replace(/^(m=audio \d+) \S+/m, `$1 ${profile}`)
  const unasked = [
    ...(/^a=rtcp-mux\b/m.test(audio) ? [] : [/^a=rtcp-mux.*\r?\n/gm]),
    ...(/^a=group:BUNDLE\b/m.test(offer) ? [] : [/^a=group:BUNDLE.*\r?\n/gm]),
    ...(/^a=group:LS\b/m.test(offer) ? [] : [/^a=group:LS.*\r?\n/gm]),
    ...(/^a=mid:/m.test(audio) ? [] : [/^a=mid:.*\r?\n/gm]),
    ...(/^a=msid-semantic:/m.test(offer) ? [] : [/^a=msid.*\r?\n/gm, /^a=ssrc:\d+ msid:.*\r?\n/gm]),
    ...(/^a=ice-options:.*\btrickle\b/m.test(offer) ? [] : [/^a=ice-options:.*\r?\n/gm]),
  ]
  return unasked.reduce((sdp, line) => sdp.replace(line, ''), fitting)
}

/** Describes the same connection again: another direction, the next version, and the settled role. */
export const describedAgain = (sdp: string, direction: SdpDirection, as: 'offer' | 'answer', version: number): string =>
  withDirection(sdp, direction)
    .replace(/^(o=\S+ \S+ )\d+/m, `$1${version}`)
    .replace(/^a=setup:\w+/m, (line) => (as === 'offer' ? 'a=setup:actpass' : line.replace('actpass', 'passive')))
