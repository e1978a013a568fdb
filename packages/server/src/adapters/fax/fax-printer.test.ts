import { rendererSuite } from '../../../../../test/conformance/renderer.ts'
import { poppler } from './poppler.ts'

rendererSuite({ name: 'poppler', renderer: poppler, programs: ['pdftoppm'] })
