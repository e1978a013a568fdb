import { Histogram } from '#core/operate/metrics/families/distribution.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import { jitterBounds, lossBounds, mosBounds } from '#core/operate/metrics/families/table.ts'
import type { Media, StreamQuality } from '#media/engine.ts'
import { meanOpinionScore } from '#media/rtp/quality.ts'

/** A second of sound: a shorter one says nothing about quality. */
const minPackets = 50

/** Quality of callers' sound: one value per stream, at its end. */
export class SoundMeter {
  threadsDied = 0
  readonly #loss = new Histogram(lossBounds)
  readonly #jitter = new Histogram(jitterBounds)
  readonly #mos = new Histogram(mosBounds)
  #received = 0
  #lost = 0
  #refused = 0

  ended(quality: StreamQuality): void {
    const { packetsReceived, packetsLost, packetsRefused, jitterMs } = quality
    const expected = packetsReceived + packetsLost
    this.#received += packetsReceived
    this.#lost += packetsLost
    this.#refused += packetsRefused
    if (expected < minPackets) return
    this.#loss.add(packetsLost / expected)
    this.#jitter.add(jitterMs / 1000)
    this.#mos.add(meanOpinionScore(quality))
  }

  samples({ streams, lateTicks, ticks }: Pick<Media, 'streams' | 'lateTicks' | 'ticks'>): Sample[] {
    return [
      { name: 'offhook_rtp_streams', value: streams },
      { name: 'offhook_rtp_received_packets_total', value: this.#received },
      { name: 'offhook_rtp_lost_packets_total', value: this.#lost },
      { name: 'offhook_rtp_refused_packets_total', value: this.#refused },
      { name: 'offhook_rtp_loss_ratio', value: this.#loss },
      { name: 'offhook_rtp_jitter_seconds', value: this.#jitter },
      { name: 'offhook_rtp_mos', value: this.#mos },
      { name: 'offhook_media_late_ticks_total', value: lateTicks },
      { name: 'offhook_media_ticks_total', value: ticks },
      { name: 'offhook_media_threads_died_total', value: this.threadsDied },
    ]
  }
}
