import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDecision } from './briefing.ts'

const said = (language: string, decision: 'accepted' | 'declined' | undefined, ...texts: string[]): void => {
  for (const text of texts) assert.equal(readDecision(text, [language]), decision, `${language}: ${text}`)
}

test('reads a short yes or no in every supported language', () => {
  said(
    'de-DE',
    'accepted',
    'Ja.',
    'Ja, bitte.',
    'Jawohl!',
    'Ja, ich nehme ihn an.',
    'Natürlich, gerne.',
    'Okay',
    'Durchstellen, bitte.',
    'In Ordnung.',
  )
  said('de-DE', 'declined', 'Nein.', 'Nein, danke.', 'Nee, jetzt nicht.', 'Geht gerade nicht.', 'Später.')
  said('en', 'accepted', 'Yes.', 'Yeah, sure.', 'Yes, please.', 'OK, go ahead.', 'I’ll take it, yes.')
  said('en', 'declined', 'No.', 'No, thank you.', 'Not now.', "I can't right now.")
  said('es', 'accepted', 'Sí.', 'Sí, claro.', 'Vale, acepto.', 'De acuerdo.')
  said('es', 'declined', 'No.', 'No, gracias.', 'Ahora no puedo.')
  said('fr', 'accepted', 'Oui.', 'Oui, s’il vous plaît.', 'D’accord.', 'Bien sûr.', 'Allez-y.')
  said('fr', 'declined', 'Non.', 'Non merci.', 'Pas maintenant.')
  said('it', 'accepted', 'Sì.', 'Sì, grazie.', 'Va bene.')
  said('it', 'declined', 'No.', 'No, grazie.', 'Adesso non posso.')
})

test('ignores greetings, questions, machine announcements, and a yes together with a no', () => {
  said(
    'de',
    undefined,
    'Hallo?',
    'Ja, hallo?',
    'Meier.',
    'Wie bitte?',
    'Das habe ich nicht verstanden.',
    'Ja, nein.',
    'Warum nicht?',
    '',
    '…',
  )
  said('de', undefined, 'Ja, hier ist der Anrufbeantworter von Familie Meier, bitte sprechen Sie nach dem Ton.')
  said(
    'en',
    undefined,
    'Hello?',
    'Yes, who is it?',
    'No problem.',
    'Why not?',
    'I did not understand.',
    'Yes yes yes yes yes yes yes',
    'Noise',
  )
  said('it', undefined, 'Pronto?')
  said('es', undefined, '¿Bueno?', '¿Diga?')
  said('de', undefined, 'Yes.', 'Oui')
  said('pl', undefined, 'Tak')
})

test('accepts a decision in any of several languages', () => {
  for (const text of ['Oui', 'Ja']) assert.equal(readDecision(text, ['de', 'fr']), 'accepted')
})
