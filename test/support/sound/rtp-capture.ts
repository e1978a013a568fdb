const payloadBytes = 160
const packetMs = 20
/** 425 Hz, loud, in A-law: periods match a whole number of samples closely enough for a test. */
const alaw = Buffer.from(Array.from({ length: payloadBytes }, (_, n) => (Math.sin((2 * Math.PI * 425 * n) / 8000) > 0 ? 0x34 : 0xb4)))

/**
 * Capture (pcap) of A-law over RTP, for sipp to play. Packets for which `isLost` is true are left out, so the receiver has lost exactly these.
 */
export const rtpCapture = (packets: number, isLost: (index: number) => boolean): Buffer => {
  const header = Buffer.alloc(24)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(65_535, 16)
  header.writeUInt32LE(1, 20) // Ethernet
  const kept = Array.from({ length: packets }, (_, index) => index).filter((index) => !isLost(index))
  return Buffer.concat([header, ...kept.map(captured)])
}

const captured = (index: number): Buffer => {
  const rtp = Buffer.alloc(12)
  rtp.writeUInt8(0x80, 0)
  rtp.writeUInt8(8, 1)
  rtp.writeUInt16BE(1000 + index, 2)
  rtp.writeUInt32BE(index * payloadBytes, 4)
  rtp.writeUInt32BE(0x0ff0_0c11, 8)
  const udp = Buffer.alloc(8)
  udp.writeUInt16BE(6000, 0)
  udp.writeUInt16BE(6000, 2)
  udp.writeUInt16BE(8 + 12 + payloadBytes, 4)
  const ip = Buffer.alloc(20)
  ip.writeUInt8(0x45, 0)
  ip.writeUInt16BE(20 + 8 + 12 + payloadBytes, 2)
  ip.writeUInt8(64, 8)
  ip.writeUInt8(17, 9)
  ip.writeUInt32BE(0x7f000001, 12)
  ip.writeUInt32BE(0x7f000001, 16)
  const ethernet = Buffer.alloc(14)
  ethernet.writeUInt16BE(0x0800, 12)
  const packet = Buffer.concat([ethernet, ip, udp, rtp, alaw])
  const record = Buffer.alloc(16)
  const ms = index * packetMs
  record.writeUInt32LE(1_700_000_000 + Math.floor(ms / 1000), 0)
  record.writeUInt32LE((ms % 1000) * 1000, 4)
  record.writeUInt32LE(packet.length, 8)
  record.writeUInt32LE(packet.length, 12)
  return Buffer.concat([record, packet])
}
