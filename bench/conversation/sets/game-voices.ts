import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { demand, oggDecoder } from './packages.ts'
import { half, type Half, type Recording } from './recording.ts'
import { louder, readSound } from './sound-file.ts'

/** Short sounds by people, and short noises (Debian: hedgewars-data, GPL-2). */
const folder = '/usr/share/games/hedgewars/Data/Sounds'
/** English voices of people; without the robot and the singer. */
const voices = ['British', 'Classic', 'Default', 'HillBilly', 'Mobster', 'Pirate', 'Russian', 'Surfer']
/** Coughs, laughs, groans. */
const wordless = /^(Ow\d|Ooff\d|Jump\d|Laugh|Hmm|Ouch|PoisonCough|PoisonMoan|Uh-oh)$/
/** The text is the file's name, or a synonym. */
const shouts: Readonly<Record<string, string>> = {
  Amazing: 'amazing',
  Byebye: 'bye bye',
  Cutitout: 'cut it out',
  Enemydown: 'enemy down',
  Hello: 'hello',
  Hurry: 'hurry',
  Kamikaze: 'kamikaze',
  Ohdear: 'oh dear',
  Reinforcements: 'reinforcements',
  Sameteam: 'same team',
  Stupid: 'stupid',
  Thisoneismine: 'this one is mine',
  Watchit: 'watch it',
  Watchthis: 'watch this',
}
/** The files are mixed at full level: no telephone is that loud. */
const decibels = -6

const need = { file: folder, package: 'hedgewars-data' }
const oggIn = async (path: string): Promise<string[]> => (await readdir(path)).filter((file) => file.endsWith('.ogg')).toSorted()
const nameOf = (file: string): string => basename(file, '.ogg')

/** Sounds by people, with words if `text` is not empty. In the order of voices and files, and numbered across both. */
export const readShouts = async (which: Half): Promise<Recording[]> => {
  demand(need, oggDecoder)
  const files = await Promise.all(
    voices.map(async (voice) => (await oggIn(join(folder, 'voices', voice))).map((file) => `voices/${voice}/${file}`)),
  )
  const wanted = files.flat().filter((file) => wordless.test(nameOf(file)) || shouts[nameOf(file)] !== undefined)
  return readAll(half(wanted, which), (file) => shouts[nameOf(file)] ?? '')
}

/** Explosions, splashes, clicks: no words. */
export const readGameNoises = async (which: Half): Promise<Recording[]> => {
  demand(need, oggDecoder)
  return readAll(half(await oggIn(folder), which), () => '')
}

const readAll = async (files: readonly string[], textOf: (file: string) => string): Promise<Recording[]> => {
  const recordings: Recording[] = []
  for (const file of files) {
    const samples = louder(await readSound(join(folder, file)), decibels)
    recordings.push({ name: file.replace(/\.ogg$/, ''), language: 'en', text: textOf(file), samples })
  }
  return recordings
}
