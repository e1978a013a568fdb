import { test } from 'node:test'
import { openEveryPage } from './every-page.ts'

test('every page opens in German, dark', (t) => openEveryPage(t, { language: 'de', scheme: 'dark' }))
