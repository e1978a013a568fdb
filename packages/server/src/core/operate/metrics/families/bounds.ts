/** Upper bounds of histograms, apart from the table: who counts needs these, but not what the page says about them. */

/** For what takes from milliseconds to half a minute. */
export const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30] as const

export const databaseBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

export const queueBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5] as const

export const collectionBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1] as const

export const jitterBounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2] as const

export const lossBounds = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5] as const

/** From "not recommended" (2.6) over "some users dissatisfied" (3.6) to "very satisfied" (4.3): ITU-T G.107 annex B. */
export const mosBounds = [1, 2, 2.6, 3.1, 3.6, 4, 4.3, 4.5] as const
