import { jitterBounds, lossBounds, mosBounds } from './bounds.ts'
import { counter, gauge, histogram } from './family.ts'

/** RTP: each stream is counted when it ends. */
export const soundFamilies = {
  offhook_rtp_streams: gauge('Audio streams that are open now.'),
  offhook_rtp_received_packets_total: counter('RTP packets that came, of streams that have ended.'),
  offhook_rtp_lost_packets_total: counter('RTP packets that did not come, of streams that have ended.'),
  offhook_rtp_refused_packets_total: counter(
    'RTP packets that were thrown away, of streams that have ended: another source, another format, wrong key.',
  ),
  offhook_rtp_loss_ratio: histogram('Part of a stream’s packets that did not come, 0 to 1: one value a stream.', lossBounds),
  offhook_rtp_jitter_seconds: histogram('Interarrival jitter (RFC 3550), the mean of a stream: one value a stream.', jitterBounds),
  offhook_rtp_mos: histogram('Estimated listening quality (ITU-T G.107), 1 to 4.5: one value a stream.', mosBounds),
  offhook_sound_missing_total: counter(
    'How often a phone was not heard, or did not hear us: state is nothing, stopped, unknown_source, unknown_format or unheard.',
    'state',
  ),
  offhook_rtp_ports: gauge('RTP ports of the range, counted in pairs.'),
  offhook_rtp_ports_used: gauge('RTP ports that calls, faxes or other programs have.'),
  offhook_rtp_ports_free: gauge('RTP ports that a call can have, counted in pairs.'),
  offhook_rtp_ports_resting: gauge('RTP ports that rest after a call.'),
  offhook_rtp_ports_taken: gauge('RTP ports of calls and faxes.'),
  offhook_rtp_ports_hurried_total: counter('RTP ports that were used again before their rest was over.'),
  offhook_rtp_ports_exhausted_total: counter('How often no RTP port was free for a leg of a call, which is refused then.'),
  offhook_media_late_ticks_total: counter('Turns of a media thread in which packets left ten milliseconds late or more.'),
  offhook_media_threads_died_total: counter('Media threads that ended by themselves, and their calls with them.'),
} as const
