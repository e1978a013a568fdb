/** A line of `m=audio`: what a payload type means. */
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
  /** MediaStream.localPort of the stream that this connection is for. */
  streamPort: number
  /** For an offer to a far end that another process was connected with: how it calls its line. */
  mid?: string
}

/** What the process of the gateway is started with. */
export interface GatewaySettings {
  /** Where the streams are. */
  relayAddress: string
  /** Where browsers reach us; every interface if it is missing. */
  bindAddress?: string
  ports?: { first: number; last: number }
  /** How the outside sees us, behind a router that maps every port to the same one. */
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
