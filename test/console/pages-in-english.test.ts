import { test } from 'node:test'
import { openEveryPage } from './every-page.ts'

test('every page opens in English, light', (t) => openEveryPage(t, { language: 'en', scheme: 'light' }))
