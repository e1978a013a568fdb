/** The journal of erasures in the data folder and in backups. */
export const erasuresName = 'erasures.journal'
