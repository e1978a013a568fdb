import { join } from 'node:path'
import { demand, oggDecoder } from './packages.ts'
import { half, type Half, type Recording } from './recording.ts'
import { readSound } from './sound-file.ts'

const folder = '/usr/share/ktuberling/sounds/de'

/**
 * German words by a person (Debian: ktuberling-data, GPL-2). There is no transcript: the text is the file's name in German, so a word spoken
 * differently counts as wrong.
 */
const words: Readonly<Record<string, string>> = {
  ball: 'Ball',
  bow: 'Fliege',
  coat: 'Mantel',
  ear: 'Ohr',
  earring: 'Ohrring',
  egypt_arch: 'Torbogen',
  egypt_birds: 'Vögel',
  egypt_boy: 'Junge',
  egypt_bridge: 'Brücke',
  egypt_camel: 'Kamel',
  egypt_cart: 'Karren',
  egypt_column: 'Säule',
  egypt_donkey: 'Esel',
  egypt_girl: 'Mädchen',
  egypt_grass: 'Gras',
  egypt_man: 'Mann',
  egypt_oasis: 'Oase',
  egypt_palmtree: 'Palme',
  egypt_pyramid: 'Pyramide',
  egypt_road: 'Straße',
  egypt_sphynx: 'Sphinx',
  egypt_well: 'Brunnen',
  egypt_woman: 'Frau',
  eye: 'Auge',
  eyebrow: 'Augenbraue',
  flower: 'Blume',
  hair: 'Haare',
  hat: 'Hut',
  moon_alien: 'Außerirdischer',
  moon_astronaut: 'Astronaut',
  moon_earth: 'Erde',
  moon_fallingstar: 'Sternschnuppe',
  moon_hotel: 'Hotel',
  moon_monster: 'Monster',
  moon_planet: 'Planet',
  moon_radar: 'Radar',
  moon_rocket: 'Rakete',
  moon_satellite: 'Satellit',
  moon_sign: 'Schild',
  moon_star: 'Stern',
  moon_ufo: 'Ufo',
  moustache: 'Schnurrbart',
  mouth: 'Mund',
  nose: 'Nase',
  pizzeria_anchovy: 'Sardelle',
  pizzeria_bacon: 'Speck',
  pizzeria_broccolli: 'Brokkoli',
  pizzeria_cheese: 'Käse',
  pizzeria_cucumber: 'Gurke',
  pizzeria_mushroom: 'Pilz',
  pizzeria_olive: 'Olive',
  pizzeria_onion: 'Zwiebel',
  pizzeria_oregano: 'Oregano',
  pizzeria_pepper: 'Paprika',
  pizzeria_pepperoni: 'Peperoni',
  pizzeria_pineapple: 'Ananas',
  pizzeria_salami: 'Salami',
  pizzeria_tomato: 'Tomate',
  shoes: 'Schuhe',
  shorts: 'Hose',
  skirt: 'Rock',
  spectacles: 'Brille',
  stick: 'Stock',
  sunglasses: 'Sonnenbrille',
  tie: 'Krawatte',
  tv_bicycle: 'Fahrrad',
  tv_car: 'Auto',
  tv_cyclist: 'Radfahrer',
  tv_train: 'Zug',
  tv_tree: 'Baum',
  umbrella: 'Regenschirm',
}

export const readGermanWords = async (which: Half): Promise<Recording[]> => {
  demand({ file: folder, package: 'ktuberling-data' }, oggDecoder)
  const all = half(Object.entries(words), which)
  return Promise.all(
    all.map(async ([name, text]) => ({ name, text, language: 'de', samples: await readSound(join(folder, `${name}.ogg`)) })),
  )
}

/** Sentences for the embedded voice: synthetic, and reported separately from people everywhere. */
export const germanSentences = [
  'Guten Tag, ich möchte einen Tisch für vier Personen bestellen.',
  'Bitte rufen Sie mich morgen früh wieder an.',
  'Ich habe meine Kreditkarte verloren und muss sie sperren lassen.',
  'Wann haben Sie heute Nachmittag geöffnet?',
  'Können Sie mir bitte die neue Adresse sagen?',
  'Ich brauche einen Termin beim Zahnarzt.',
  'Vielen Dank für Ihre Hilfe, auf Wiederhören.',
  'Das Internet funktioniert seit gestern Abend nicht mehr.',
  'Nein, das ist nicht richtig.',
  'Die Rechnung vom letzten Monat ist viel zu hoch.',
  'Ich möchte meinen Vertrag zum Ende des Jahres kündigen.',
  'Verbinden Sie mich bitte mit der Buchhaltung.',
]
