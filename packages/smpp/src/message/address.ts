import type { SmppAddress } from '../pdu/pdu.ts'

/** E.164 with or without plus is international, a few digits are a short code of the network, the rest is a name (SMPP 3.4 §5.2.5). */
export const addressOf = (value: string): SmppAddress => {
  if (/^\d{1,6}$/.test(value)) return { ton: 3, npi: 0, value }
  if (/^\+?\d+$/.test(value)) return { ton: 1, npi: 1, value: value.replace('+', '') }
  return { ton: 5, npi: 0, value }
}
