/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PFACT_H
#define HPL_PFACT_H

#include "hpl_misc.h"

void HPL_pdfact(HPL_T_panel *PANEL);
void HPL_pdpancrN(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdpancrT(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdpanllN(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdpanllT(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdpanrlN(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdpanrlT(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdrpancrN(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdrpancrT(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdrpanllN(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdrpanllT(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdrpanrlN(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);
void HPL_pdrpanrlT(HPL_T_panel *PANEL, const int M, const int N, const int ICOFF, double *WORK);

#endif
