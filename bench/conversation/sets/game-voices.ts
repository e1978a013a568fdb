import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { demand, oggDecoder } from './packages.ts'
import { half, type Half, type Recording } from './recording.ts'
import { louder, readSound } from './sound-file.ts'

/** Short sounds that people make, and short noises that nobody makes (Debian: hedgewars-data, GPL-2). */
const folder = '/usr/share/games/hedgewars/Data/Sounds'
/** Voices of people, in English; the robot and the singer are left out. */
const voices = ['British', 'Classic', 'Default', 'HillBilly', 'Mobster', 'Pirate', 'Russian', 'Surfer']
/** Coughs, laughs, groans. */
const wordless = /^(Ow\d|Ooff\d|Jump\d|Laugh|Hmm|Ouch|PoisonCough|PoisonMoan|Uh-oh)$/
/** What is said is the name of the file, or means the same. */
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
/** They are mixed as loud as can be: nobody telephones like that. */
const decibels = -6

const need = { file: folder, package: 'hedgewars-data' }
const oggIn = async (path: string): Promise<string[]> => (await readdir(path)).filter((file) => file.endsWith('.ogg')).toSorted()
const nameOf = (file: string): string => basename(file, '.ogg')

/** By people: with words if `text` is not empty. In the order of voices and files; counted together. */
export const readShouts = async (which: Half): Promise<Recording[]> => {
  demand(need, oggDecoder)
  const files = await Promise.all(
    voices.map(async (voice) => (await oggIn(join(folder, 'voices', voice))).map((file) => `voices/${voice}/${file}`)),
  )
  const wanted = files.flat().filter((file) => wordless.test(nameOf(file)) || shouts[nameOf(file)] !== undefined)
  return readAll(half(wanted, which), (file) => shouts[nameOf(file)] ?? '')
}

/** Explosions, splashes, clicks: never words. */
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
