/** Milliseconds from INVITE sent to 200 received, from sipp's message log; its own timer is too coarse. */
export const setupTimes = (messages: string): number[] => {
  const asked = new Map<string, number>()
  const times: number[] = []
  for (const part of messages.split(/^-{40,} /m)) {
    const at = Date.parse(`${part.slice(0, 10)}T${part.slice(11, 23)}Z`) + Number(part.slice(23, 26)) / 1000
    const call = /^Call-ID: *(\S+)/m.exec(part)?.[1] ?? ''
    if (/^INVITE /m.test(part) && !asked.has(call)) asked.set(call, at)
    const started = asked.get(call)
    if (/^SIP\/2\.0 200[^]*^CSeq: 1 INVITE/m.test(part) && started !== undefined) times.push(at - started)
  }
  return times
}
